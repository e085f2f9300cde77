// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>

#include "passes/lower/lower.h"
#include "passes/lower/provenance.h"

namespace convert {
namespace {

Error bad(const Trace& trace, const std::string& message) {
  return input_error({.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)}, message, "provenance");
}
Error bad(const Trace& trace, std::size_t index, const std::string& message) {
  return input_error(location_of(trace, index),
                     "node " + std::to_string(trace.nodes.nodes[index].id) + ": " + message, "provenance");
}

std::optional<std::int32_t> int32(std::span<const Attr> attrs, Name name) {
  const IntValue v = int_value(attrs, name);
  if (!v || v.value < std::numeric_limits<std::int32_t>::min() ||
      v.value > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(v.value);
}

std::vector<std::int32_t> int32_list(const AttrTable& table, std::span<const Attr> attrs, Name name) {
  std::vector<std::int32_t> out;
  const Attr* a = find(attrs, name);
  if (a == nullptr || a->kind != Kind::int32_list) return out;
  for (const std::uint64_t bits : table.list(*a))
    out.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(bits)));
  return out;
}

// What MSCCL-IR can hold as the name of an attribute.
bool is_xml_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const auto further = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), further);
}

// Text that XML can hold. Throws otherwise.
std::string xml_text(const Trace& trace, Name attribute, std::string_view text) {
  const auto control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::any_of(text.begin(), text.end(), control))
    throw bad(trace, "metadata attribute '" + std::string(attribute.view()) + "' holds a control character");
  return std::string(text);
}

OtherAttributes others(const Trace& trace, std::string_view prefix, bool gpu) {
  const AttrTable& table = trace.metadata.table;
  OtherAttributes out;
  for (const Attr& a : table.attrs) {
    const std::string_view key = a.name.view();
    if (a.kind != Kind::string_val || !key.starts_with(prefix)) continue;
    const std::string_view rest = key.substr(prefix.size());
    if (!gpu && (key.starts_with(msccl::gpu_prefix) || is_standard_attribute(rest))) continue;
    if (!is_xml_name(rest))
      throw bad(trace, "metadata attribute '" + std::string(key) + "' cannot be the name of an XML attribute");
    out.emplace_back(rest, xml_text(trace, a.name, table.string(a)));
  }
  return out;
}

// One step as the nodes of a rank tell it.
struct Found {
  Step step;
  std::vector<std::int32_t> nop_depids;
  std::vector<std::int32_t> nop_steps;
  std::size_t node = 0;
};

class RankRaiser {
 public:
  RankRaiser(const Trace& trace, std::int64_t ranks, Algorithm& out) : trace_(trace), ranks_(ranks), out_(out) {}

  void raise(Gpu gpu) {
    const auto attrs = std::span<const Attr>(trace_.metadata.table.attrs);
    const auto send = int32_list(trace_.metadata.table, attrs, msccl::tb_send);
    const auto recv = int32_list(trace_.metadata.table, attrs, msccl::tb_recv);
    const auto chan = int32_list(trace_.metadata.table, attrs, msccl::tb_chan);
    if (send.size() != recv.size() || send.size() != chan.size())
      throw bad(trace_, "msccl.tb_send, msccl.tb_recv and msccl.tb_chan differ in length");
    for (std::size_t t = 0; t < send.size(); ++t) check_threadblock(t, send[t], recv[t], chan[t]);
    std::vector<std::map<std::int32_t, Found>> tbs(send.size());
    for (std::size_t i = 0; i < trace_.nodes.nodes.size(); ++i) collect(i, tbs);

    gpu.first_tb = static_cast<std::uint32_t>(out_.tbs.size());
    gpu.tb_count = static_cast<std::uint32_t>(tbs.size());
    for (std::size_t t = 0; t < tbs.size(); ++t) {
      Threadblock tb{.send = send[t],
                     .recv = recv[t],
                     .chan = chan[t],
                     .first_step = static_cast<std::uint32_t>(out_.steps.size())};
      for (const auto& [position, found] : tbs[t]) append(found, position, tb);
      out_.tbs.push_back(tb);
    }
    out_.gpus.push_back(std::move(gpu));
  }

 private:
  void check_threadblock(std::size_t t, std::int32_t send, std::int32_t recv, std::int32_t chan) const {
    const auto impossible = [&](std::int32_t peer) {
      return peer < -1 || peer >= ranks_ || peer == static_cast<std::int64_t>(trace_.rank);
    };
    const bool local = send == -1 && recv == -1;
    if (impossible(send) || impossible(recv) || chan >= std::min(out_.channels, max_channels) ||
        (chan < 0 && !local))
      throw bad(trace_, "threadblock " + std::to_string(t) + " of msccl.tb_* has an impossible peer or channel");
  }

  void collect(std::size_t i, std::vector<std::map<std::int32_t, Found>>& tbs) {
    const Node& node = trace_.nodes.nodes[i];
    const auto attrs = trace_.nodes.attributes(node);
    const auto type_text = string_value(trace_.nodes, attrs, attr::step_type);
    if (!type_text || *type_text == msccl::copy_step)
      return;  // the metadata has the copies; an idle node has nothing
    const auto tb = int32(attrs, attr::tb_id);
    const auto position = int32(attrs, attr::local_time_step);
    if (!tb || !position) throw bad(trace_, i, "has a step_type but no tb_id or local_time_step");
    if (*tb < 0 || static_cast<std::size_t>(*tb) >= tbs.size())
      throw bad(trace_, i, "tb_id " + std::to_string(*tb) + " is not among the metadata's threadblocks");
    auto& steps = tbs[static_cast<std::size_t>(*tb)];
    const auto [entry, added] = steps.try_emplace(*position);
    if (!added) return;  // a further node of the same step; same_graph() compares them all
    Found& f = entry->second;
    f.node = i;
    const auto step = parse_step(trace_, i);
    f.step = step;
    f.step.depid = required(i, attr::depid);
    f.step.deps = required(i, attr::deps);
    f.step.hasdep = required(i, attr::hasdep) != 0;
    f.nop_depids = int32_list(trace_.nodes, attrs, attr::nop_depids);
    f.nop_steps = int32_list(trace_.nodes, attrs, attr::nop_steps);
    if (f.nop_depids.size() != f.nop_steps.size())
      throw bad(trace_, i, "nop_depids and nop_steps differ in length");
  }

  void append(const Found& f, std::int32_t position, Threadblock& tb) {
    for (std::size_t k = 0; k < f.nop_depids.size(); ++k) {
      out_.steps.push_back({.depid = f.nop_depids[k], .deps = f.nop_steps[k]});
      ++tb.step_count;
    }
    if (static_cast<std::int32_t>(tb.step_count) != position) {
      throw bad(trace_, f.node,
                "local_time_step " + std::to_string(position) + " where position " + std::to_string(tb.step_count) +
                    " of its threadblock is expected");
    }
    out_.steps.push_back(f.step);
    ++tb.step_count;
  }

  std::int32_t required(std::size_t i, Name name) const {
    const auto v = int32(trace_.nodes.attributes(trace_.nodes.nodes[i]), name);
    if (!v) throw bad(trace_, i, "attribute '" + std::string(name.view()) + "' is missing or not an int32");
    return *v;
  }

  const Trace& trace_;
  std::int64_t ranks_;
  Algorithm& out_;
};

}  // namespace

Step parse_step(const Trace& trace, std::size_t index) {
  const auto attrs = trace.nodes.attributes(trace.nodes.nodes[index]);
  const auto text = [&](Name name) {
    const auto v = string_value(trace.nodes, attrs, name);
    if (!v) throw bad(trace, index, "attribute '" + std::string(name.view()) + "' is missing or not a string");
    return *v;
  };
  const auto number = [&](Name name) {
    const auto v = int32(attrs, name);
    if (!v) throw bad(trace, index, "attribute '" + std::string(name.view()) + "' is missing or not an int32");
    return *v;
  };
  const auto buffer = [&](Name name) {
    const std::string_view v = text(name);
    if (v == "i") return Buffer::input;
    if (v == "o") return Buffer::output;
    if (v == "s") return Buffer::scratch;
    throw bad(trace, index, std::string(name.view()) + " is '" + std::string(v) + "', not i, o or s");
  };
  Step s;
  const std::string_view type = text(attr::step_type);
  const auto parsed = parse_step_type(type == msccl::copy_step ? "cpy" : type);
  if (!parsed || *parsed == StepType::nop)
    throw bad(trace, index, "step_type '" + std::string(type) + "' is not a step type");
  s.type = *parsed;
  s.src_buf = buffer(attr::src_buf);
  s.dst_buf = buffer(attr::dst_buf);
  s.src_off = number(attr::src_off);
  s.dst_off = number(attr::dst_off);
  s.cnt = number(attr::chunk_cnt);
  return s;
}

void require_all_ranks(std::span<const Trace> traces) {
  for (const Trace& t : traces) {
    const auto ranks = int32(t.metadata.table.attrs, msccl::ngpus);
    if (!ranks || static_cast<std::size_t>(std::max(*ranks, 0)) == traces.size()) continue;
    throw bad(t, "the algorithm has " + std::to_string(*ranks) + " ranks, but there are traces of " +
                     std::to_string(traces.size()) + "; name the whole set");
  }
}

bool read_header(const Trace& trace, Algorithm& out, Gpu& gpu) {
  const AttrTable& table = trace.metadata.table;
  const auto attrs = std::span<const Attr>(table.attrs);
  const auto coll = string_value(table, attrs, msccl::coll);
  const auto chunks = int32(attrs, msccl::nchunksperloop);
  const auto i_chunks = int32(attrs, msccl::i_chunks);
  const auto o_chunks = int32(attrs, msccl::o_chunks);
  const auto s_chunks = int32(attrs, msccl::s_chunks);
  if (!coll || !chunks || !i_chunks || !o_chunks || !s_chunks) return false;
  const auto collective = parse_collective(*coll);
  if (!collective || *chunks <= 0 || *i_chunks < 0 || *o_chunks < 0 || *s_chunks < 0)
    throw bad(trace, "the metadata's msccl.* attributes are out of range");
  out.collective = *collective;
  out.collective_text = *coll;
  out.chunks = *chunks;
  out.name = xml_text(trace, msccl::algo_name, string_value(table, attrs, msccl::algo_name).value_or(""));
  const std::string_view proto = string_value(table, attrs, msccl::proto).value_or("Simple");
  const auto protocol = parse_protocol(proto);
  if (!protocol) throw bad(trace, "msccl.proto '" + std::string(proto) + "' is not a protocol");
  out.protocol = *protocol;
  out.channels = int32(attrs, msccl::nchannels).value_or(1);
  out.inplace = int32(attrs, msccl::inplace).value_or(0) != 0;
  if (const auto v = int32(attrs, msccl::outofplace)) out.outofplace = *v != 0;
  if (const IntValue v = int_value(attrs, msccl::min_bytes)) out.min_bytes = v.value;
  if (const IntValue v = int_value(attrs, msccl::max_bytes)) out.max_bytes = v.value;
  out.attributes = others(trace, msccl::prefix, false);
  gpu.i_chunks = *i_chunks;
  gpu.o_chunks = *o_chunks;
  gpu.s_chunks = *s_chunks;
  gpu.other = others(trace, msccl::gpu_prefix, true);
  const auto from = int32_list(table, attrs, msccl::copy_i_off);
  const auto to = int32_list(table, attrs, msccl::copy_o_off);
  if (from.size() != to.size()) throw bad(trace, "msccl.copy_i_off and msccl.copy_o_off differ in length");
  for (std::size_t k = 0; k < from.size(); ++k) gpu.copies.push_back({from[k], to[k]});
  return true;
}

Provenance provenance_of(const Trace& trace) {
  const auto attrs = std::span<const Attr>(trace.metadata.table.attrs);
  if (find(attrs, msccl::coll) == nullptr || find(attrs, msccl::nchunksperloop) == nullptr) return Provenance::none;
  bool all_positions = find(attrs, msccl::tb_send) != nullptr;
  for (const Node& node : trace.nodes.nodes) {
    const auto own = trace.nodes.attributes(node);
    const auto type = string_value(trace.nodes, own, attr::step_type);
    if (!type) {
      if (node.type == NodeType::comm_send || node.type == NodeType::comm_recv) return Provenance::none;
      continue;  // a node that takes no part, such as the one of an idle rank
    }
    if (*type != msccl::copy_step &&
        (find(own, attr::tb_id) == nullptr || find(own, attr::local_time_step) == nullptr))
      all_positions = false;
  }
  return all_positions ? Provenance::full : Provenance::chunks;
}

Algorithm raise_algorithm(std::span<const Trace> traces) {
  Algorithm out;
  for (const Trace& t : traces) {
    Algorithm header;
    Gpu gpu;
    if (!read_header(t, header, gpu))
      throw bad(t, "the metadata carries no msccl.* attributes: an algorithm cannot be made from it");
    if (t.rank == 0) {
      header.file = t.name;
      out = std::move(header);
    } else if (header.collective != out.collective || header.chunks != out.chunks ||
               header.protocol != out.protocol || header.inplace != out.inplace) {
      throw bad(t, "collective, chunks, protocol or inplace differ from rank 0");
    }
    RankRaiser(t, static_cast<std::int64_t>(traces.size()), out).raise(std::move(gpu));
  }
  return out;
}

bool same_graph(const Lowering& lowering, const Trace& trace) {
  Trace lowered;
  try {
    lowering.lower(trace.rank, lowered);
  } catch (const Error&) {
    return false;
  }
  const NodeTable& a = lowered.nodes;
  const NodeTable& b = trace.nodes;
  if (a.nodes.size() != b.nodes.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node& x = a.nodes[i];
    const Node& y = b.nodes[i];
    if (x.id != y.id || x.type != y.type || !std::ranges::equal(a.data_deps(x), b.data_deps(y)) ||
        y.ctrl_deps.count != 0)
      return false;
    for (const Name name :
         {attr::comm_src, attr::comm_dst, attr::comm_tag, attr::src_off, attr::dst_off, attr::chunk_cnt}) {
      if (int_value(a.attributes(x), name).value != int_value(b.attributes(y), name).value) return false;
    }
    for (const Name name : {attr::step_type, attr::src_buf, attr::dst_buf}) {
      if (string_value(a, a.attributes(x), name) != string_value(b, b.attributes(y), name)) return false;
    }
  }
  return true;
}

}  // namespace convert
