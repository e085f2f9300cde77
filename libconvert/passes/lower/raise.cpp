// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "core/algorithm/link_way.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"

namespace convert {
namespace {

// One step, as recorded in the nodes of a rank.
struct RecordedStep {
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
      throw provenance_error(trace_, "msccl.tb_send, msccl.tb_recv and msccl.tb_chan differ in length");
    for (std::size_t t = 0; t < send.size(); ++t) check_threadblock(t, send[t], recv[t], chan[t]);
    std::vector<std::map<std::int32_t, RecordedStep>> tbs(send.size());
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
      throw provenance_error(trace_,
                             "threadblock " + std::to_string(t) + " of msccl.tb_* has an invalid peer or channel");
  }

  void collect(std::size_t i, std::vector<std::map<std::int32_t, RecordedStep>>& tbs) {
    const Node& node = trace_.nodes.nodes[i];
    const auto attrs = trace_.nodes.attributes(node);
    const auto type_text = string_value(trace_.nodes, attrs, attr::step_type);
    if (!type_text || *type_text == msccl::copy_step)
      return;  // copies are in the metadata; an idle node has no step
    const auto tb = int32_value(attrs, attr::tb_id);
    const auto position = int32_value(attrs, attr::local_time_step);
    if (!tb || !position) throw provenance_error(trace_, i, "has a step_type but no tb_id or local_time_step");
    if (*tb < 0 || static_cast<std::size_t>(*tb) >= tbs.size())
      throw provenance_error(trace_, i, "tb_id " + std::to_string(*tb) + " is not a threadblock of the metadata");
    auto& steps = tbs[static_cast<std::size_t>(*tb)];
    const auto [entry, added] = steps.try_emplace(*position);
    if (!added) return;  // a further node of the same step; same_graph() compares all nodes
    RecordedStep& f = entry->second;
    f.node = i;
    const auto step = parse_step(trace_, i);
    f.step = step;
    f.step.depid = required(i, attr::depid);
    f.step.deps = required(i, attr::deps);
    f.step.hasdep = required(i, attr::hasdep) != 0;
    f.nop_depids = int32_list(trace_.nodes, attrs, attr::nop_depids);
    f.nop_steps = int32_list(trace_.nodes, attrs, attr::nop_steps);
    if (f.nop_depids.size() != f.nop_steps.size())
      throw provenance_error(trace_, i, "nop_depids and nop_steps differ in length");
    if (out_.scheduled) add_transfer(i, f.step);
  }

  // Records a rank's end of a message. Nodes are in the order of the transfers.
  void add_transfer(std::size_t i, Step& step) {
    const auto attrs = trace_.nodes.attributes(trace_.nodes.nodes[i]);
    const auto value = [&](Name name, std::int64_t missing) {
      const IntValue v = int_value(attrs, name);
      return v ? v.value : missing;
    };
    step.transfer = static_cast<std::uint32_t>(out_.transfers.size());
    ScheduledTransfer& t = out_.transfers.emplace_back();
    t.tag = required(i, attr::comm_tag);
    t.chunk = value(attr::chunk_id, 0);
    if (const IntValue bytes = int_value(attrs, attr::comm_size)) t.bytes = bytes.value;
    t.start_ps = value(attr::ten_start_ps, -1);
    t.end_ps = value(attr::ten_end_ps, -1);
    t.wire = value(attr::ten_link, 0);
    add_way(i, t, step);
  }

  void add_way(std::size_t i, ScheduledTransfer& t, const Step& step) {
    const auto attrs = trace_.nodes.attributes(trace_.nodes.nodes[i]);
    const std::optional<LinkWay> way = link_way(trace_.nodes, attrs);
    if (!way || !sends(step.type)) return;
    if (!way->problem.empty()) throw provenance_error(trace_, i, way->problem);
    t.hops = {static_cast<std::uint32_t>(out_.hops.size()), static_cast<std::uint32_t>(way->turns.size())};
    for (std::size_t h = 0; h < way->turns.size(); ++h) {
      const bool last = h == way->via.size();
      out_.hops.push_back({.to = last ? static_cast<std::uint32_t>(required(i, attr::comm_dst)) : way->via[h],
                           .turn = way->turns[h]});
    }
  }

  void append(const RecordedStep& f, std::int32_t position, Threadblock& tb) {
    for (std::size_t k = 0; k < f.nop_depids.size(); ++k) {
      out_.steps.push_back({.depid = f.nop_depids[k], .deps = f.nop_steps[k]});
      ++tb.step_count;
    }
    if (static_cast<std::int32_t>(tb.step_count) != position) {
      throw provenance_error(trace_, f.node,
                             "local_time_step " + std::to_string(position) + " found, but position " +
                                 std::to_string(tb.step_count) + " of its threadblock is expected");
    }
    out_.steps.push_back(f.step);
    ++tb.step_count;
  }

  std::int32_t required(std::size_t i, Name name) const {
    const auto v = int32_value(trace_.nodes.attributes(trace_.nodes.nodes[i]), name);
    if (!v)
      throw provenance_error(trace_, i, "attribute '" + std::string(name.view()) + "' is missing or not an int32");
    return *v;
  }

  const Trace& trace_;
  std::int64_t ranks_;
  Algorithm& out_;
};

// Returns whether the control dependencies of `found` equal the ones of `wanted`, or its sequence numbers on links
// imply them.
bool same_order(const NodeTable& lowered, const Node& wanted, const NodeTable& table, const Node& found) {
  if (found.ctrl_deps.count == 0 && find(table.attributes(found), attr::link_seq) != nullptr) return true;
  return std::ranges::equal(lowered.ctrl_deps(wanted), table.ctrl_deps(found));
}

}  // namespace

Algorithm raise_algorithm(std::span<const Trace> traces) {
  Algorithm out;
  for (const Trace& t : traces) {
    Algorithm header;
    Gpu gpu;
    if (!read_header(t, header, gpu))
      throw provenance_error(
          t, "the metadata has no msccl.* attributes, so the trace cannot be converted to an algorithm");
    if (t.rank == 0) {
      header.file = t.name;
      out = std::move(header);
    } else if (header.collective != out.collective || header.chunks != out.chunks ||
               header.protocol != out.protocol || header.inplace != out.inplace ||
               header.scheduled != out.scheduled) {
      throw provenance_error(t, "collective, chunks, protocol, inplace or ten.name differ from rank 0");
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
        !same_order(a, x, b, y))
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
