// SPDX-License-Identifier: MIT
#include "passes/provenance.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/units.h"

namespace convert {

Error provenance_error(const Trace& trace, const std::string& message) {
  return input_error({.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)}, message, "provenance");
}

Error provenance_error(const Trace& trace, std::size_t index, const std::string& message) {
  return input_error(location_of(trace, index),
                     "node " + std::to_string(trace.nodes.nodes[index].id) + ": " + message, "provenance");
}

std::optional<std::int32_t> int32_value(std::span<const Attr> attrs, Name name) {
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

namespace {

// Returns whether MSCCL-IR can represent a text as the name of an attribute.
bool is_xml_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const auto further = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), further);
}

// Returns the text if XML can represent it, else throws.
std::string xml_text(const Trace& trace, Name attribute, std::string_view text) {
  const auto control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (std::any_of(text.begin(), text.end(), control))
    throw provenance_error(
        trace, "metadata attribute '" + std::string(attribute.view()) + "' contains a control character");
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
      throw provenance_error(
          trace, "metadata attribute '" + std::string(key) + "' cannot be the name of an XML attribute");
    out.emplace_back(rest, xml_text(trace, a.name, table.string(a)));
  }
  return out;
}

}  // namespace

Step parse_step(const Trace& trace, std::size_t index) {
  const auto attrs = trace.nodes.attributes(trace.nodes.nodes[index]);
  const auto given = [&](Name name, const auto& value, const char* kind) {
    if (!value)
      throw provenance_error(trace, index,
                             "attribute '" + std::string(name.view()) + "' is missing or not " + kind);
    return *value;
  };
  const auto text = [&](Name name) { return given(name, string_value(trace.nodes, attrs, name), "a string"); };
  const auto number = [&](Name name) { return given(name, int32_value(attrs, name), "an int32"); };
  const auto buffer = [&](Name name) {
    const std::string_view v = text(name);
    if (const auto b = parse_buffer(v)) return *b;
    throw provenance_error(trace, index, std::string(name.view()) + " is '" + std::string(v) + "', not i, o or s");
  };
  Step s;
  const std::string_view type = text(attr::step_type);
  const auto parsed = parse_step_type(type == msccl::copy_step ? "cpy" : type);
  if (!parsed || *parsed == StepType::nop)
    throw provenance_error(trace, index, "step_type '" + std::string(type) + "' is not a step type");
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
    const auto ranks = int32_value(t.metadata.table.attrs, msccl::ngpus);
    if (!ranks || static_cast<std::size_t>(std::max(*ranks, 0)) == traces.size()) continue;
    throw provenance_error(t, "the algorithm has " + counted(*ranks, "rank") + ", but there are traces of " +
                                  std::to_string(traces.size()) + "; name all traces of the set");
  }
}

bool read_header(const Trace& trace, Algorithm& out, Gpu& gpu) {
  const AttrTable& table = trace.metadata.table;
  const auto attrs = std::span<const Attr>(table.attrs);
  const auto coll = string_value(table, attrs, msccl::coll);
  const auto chunks = int32_value(attrs, msccl::nchunksperloop);
  const auto i_chunks = int32_value(attrs, msccl::i_chunks);
  const auto o_chunks = int32_value(attrs, msccl::o_chunks);
  const auto s_chunks = int32_value(attrs, msccl::s_chunks);
  if (!coll || !chunks || !i_chunks || !o_chunks || !s_chunks) return false;
  const auto collective = parse_collective(*coll, in_algorithms);
  if (!collective || *chunks <= 0 || *i_chunks < 0 || *o_chunks < 0 || *s_chunks < 0)
    throw provenance_error(trace, "the metadata's msccl.* attributes are out of range");
  out.collective = *collective;
  out.collective_text = *coll;
  out.chunks = *chunks;
  out.name = xml_text(trace, msccl::algo_name, string_value(table, attrs, msccl::algo_name).value_or(""));
  const std::string_view proto = string_value(table, attrs, msccl::proto).value_or("Simple");
  const auto protocol = parse_protocol(proto);
  if (!protocol) throw provenance_error(trace, "msccl.proto '" + std::string(proto) + "' is not a protocol");
  out.protocol = *protocol;
  out.channels = int32_value(attrs, msccl::nchannels).value_or(1);
  out.inplace = int32_value(attrs, msccl::inplace).value_or(0) != 0;
  if (const auto v = int32_value(attrs, msccl::outofplace)) out.outofplace = *v != 0;
  if (const IntValue v = int_value(attrs, msccl::min_bytes)) out.min_bytes = v.value;
  if (const IntValue v = int_value(attrs, msccl::max_bytes)) out.max_bytes = v.value;
  out.attributes = others(trace, msccl::prefix, false);
  out.scheduled = find(attrs, ten::schedule_name) != nullptr;
  out.relays = int32_list(table, attrs, ten::relays);
  out.among_others = parse_collective(string_value(table, attrs, attr::collective).value_or(""), in_algorithms)
                         .value_or(out.collective);
  if (const IntValue v = int_value(attrs, ten::collective_time_ps)) out.claimed_ps = v.value;
  const auto text = [&](Name name) { return std::string(string_value(table, attrs, name).value_or("")); };
  out.scheduled_for = {text(ten::network), text(ten::occupancy), text(ten::forwarding)};
  gpu.i_chunks = *i_chunks;
  gpu.o_chunks = *o_chunks;
  gpu.s_chunks = *s_chunks;
  gpu.other = others(trace, msccl::gpu_prefix, true);
  const auto from = int32_list(table, attrs, msccl::copy_i_off);
  const auto to = int32_list(table, attrs, msccl::copy_o_off);
  if (from.size() != to.size())
    throw provenance_error(trace, "msccl.copy_i_off and msccl.copy_o_off differ in length");
  for (std::size_t k = 0; k < from.size(); ++k) gpu.copies.push_back({from[k], to[k]});
  return true;
}

void check_relays(const Trace& trace, const Algorithm& header, std::size_t ranks) {
  bool some = header.relays.size() < ranks;
  std::int64_t least = 0;
  for (const std::int32_t r : header.relays) {
    some = some && r >= least && std::cmp_less(r, ranks);
    least = std::int64_t{r} + 1;
  }
  if (some) return;
  throw input_error(
      {.file = trace.name},
      "ten.relays in the metadata must be some, not all, of the " + counted(ranks, "rank") + " in ascending order",
      "provenance");
}

bool may_have_provenance(const Metadata& metadata) {
  return find(metadata.table.attrs, msccl::coll) != nullptr &&
         find(metadata.table.attrs, msccl::nchunksperloop) != nullptr;
}

Provenance provenance_of(const Trace& trace) {
  const auto attrs = std::span<const Attr>(trace.metadata.table.attrs);
  if (!may_have_provenance(trace.metadata)) return Provenance::none;
  bool all_positions = find(attrs, msccl::tb_send) != nullptr;
  for (const Node& node : trace.nodes.nodes) {
    const auto own = trace.nodes.attributes(node);
    const auto type = string_value(trace.nodes, own, attr::step_type);
    if (!type) {
      if (node.type == NodeType::comm_send || node.type == NodeType::comm_recv) return Provenance::none;
      continue;  // a node outside the algorithm, such as the node of an idle rank
    }
    if (*type != msccl::copy_step &&
        (find(own, attr::tb_id) == nullptr || find(own, attr::local_time_step) == nullptr))
      all_positions = false;
  }
  return all_positions ? Provenance::full : Provenance::chunks;
}

}  // namespace convert

namespace convert::merged {

std::int64_t program_of(Name attribute, std::string_view* rest) {
  std::string_view text = attribute.view();
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != '.') return -1;
  if (rest != nullptr) *rest = text.substr(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

}  // namespace convert::merged
