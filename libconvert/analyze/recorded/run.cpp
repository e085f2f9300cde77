// SPDX-License-Identifier: MIT
#include "analyze/recorded/run.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "analyze/recorded/path.h"
#include "analyze/recorded/set.h"
#include "core/attr_names.h"
#include "core/run/stream.h"
#include "core/run/totals.h"
#include "core/units.h"
#include "graph/communication_marks.h"

namespace convert {
namespace {

class RunMaker {
 public:
  explicit RunMaker(const RecordedSet& set) : set_(set) { run_.recorded = true; }

  Run make() {
    slice_of_.assign(set_.nodes.size(), no_index);
    for (std::size_t t = 0; t < set_.traces.size(); ++t) draw(t);
    add_deps();
    run_.calls = set_.calls;
    add_group_names(set_.group_names, run_);
    for (std::uint32_t c = 0; c < run_.calls.size(); ++c) name_type(c);
    for (std::uint32_t c = 0; c < set_.members.size(); ++c) {
      for (const std::uint32_t n : set_.members[c])
        run_.call_npus.push_back(
            {c, set_.traces[set_.trace_of(n)].rank, set_.nodes[n].begin_ps, set_.nodes[n].end_ps});
    }
    add_totals(run_);
    run_.path = recorded_path(set_, run_.timeline.names);
    for (const Run::Step& s : run_.path) run_.total_ps = std::max(run_.total_ps, s.begin_ps + s.time_ps);
    run_.reached_ps = run_.total_ps;
    count_nodes();
    for (const auto& [pair, traffic] : matrix_) run_.matrix.push_back(traffic);
    note_communication();
    if (set_.untimed != 0)
      run_.limits.push_back(counted(set_.untimed, "node") + " with a duration but no begin " +
                            (set_.untimed == 1 ? "is" : "are") + " omitted");
    return std::move(run_);
  }

 private:
  struct Marked {
    std::uint64_t nodes = 0;
    Picoseconds time = 0;
    void add(const RecordedSet::Node& recorded) {
      ++nodes;
      if (__builtin_add_overflow(time, recorded.end_ps - recorded.begin_ps, &time))
        time = std::numeric_limits<Picoseconds>::max();
    }
  };

  void note_communication() {
    Marked unknown, kernelless, missing;
    for (std::size_t t = 0; t < set_.traces.size(); ++t) {
      const NodeTable& table = set_.traces[t].nodes;
      for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
        const bool computes = table.nodes[i].type == NodeType::comp;
        for (const Attr& a : table.attributes(table.nodes[i])) {
          const RecordedSet::Node& recorded = set_.nodes[set_.first[t] + i];
          if (computes && a.name == unknown_communication) unknown.add(recorded);
          if (!computes && a.name == kernelless_communication) kernelless.add(recorded);
          if (a.name == missing_communication) missing.add(recorded);
        }
      }
    }
    if (const std::uint64_t n = unknown.nodes; n != 0)
      run_.limits.push_back(counted(n, "operation") + (n == 1 ? " that communicates" : " that communicate") +
                            " with an unknown collective (communication_unknown) " + (n == 1 ? "counts" : "count") +
                            " as computing: " + format_time(unknown.time));
    if (kernelless.nodes != 0) run_.limits.push_back(kernelless_text(kernelless.nodes, kernelless.time));
    if (missing.nodes != 0) run_.limits.push_back(missing_text(missing.nodes));
  }

  // Sets the element type of a collective to the first type that one of its nodes has.
  void name_type(std::uint32_t call) {
    for (const std::uint32_t n : set_.members[call]) {
      const NodeTable& table = set_.traces[set_.trace_of(n)].nodes;
      const Attr* type = find(table.attributes(set_.node_of(n)), attr::comm_dtype);
      if (type == nullptr || type->kind != Kind::string_val || table.string(*type).empty()) continue;
      run_.calls[call].type = run_.texts.add(table.string(*type));
      return;
    }
  }

  void draw(std::size_t t) {
    const Trace& trace = set_.traces[t];
    for (std::uint32_t i = 0; i < trace.nodes.nodes.size(); ++i) {
      const std::uint32_t number = set_.first[t] + i;
      const RecordedSet::Node& recorded = set_.nodes[number];
      const Node& node = trace.nodes.nodes[i];
      const auto lane = recorded_lane(trace.nodes, node);
      // Empty slices that are not communication are frames of a program: its process, its threads.
      const bool empty = recorded.begin_ps == recorded.end_ps && lane && !communicates(*lane);
      if (!recorded.timed() || !lane || empty) continue;
      slice_of_[number] = static_cast<std::uint32_t>(run_.timeline.slices.size());
      Slice& s = run_.timeline.slices.emplace_back();
      s.begin_ps = recorded.begin_ps;
      s.end_ps = recorded.end_ps;
      s.node = node.id;
      s.rank = trace.rank;
      s.name = run_.timeline.names.add(trace.nodes.name(node));
      s.call = recorded.call;
      s.lane = *lane;
      if (s.lane != Lane::cpu) s.stream = stream_of(trace.nodes.attributes(node));
      if (*lane == Lane::send || *lane == Lane::recv) describe_message(trace, node, number, s);
    }
  }

  void describe_message(const Trace& trace, const Node& node, std::uint32_t number, Slice& s) {
    const bool sends = s.lane == Lane::send;
    const auto attrs = trace.nodes.attributes(node);
    const IntValue bytes = int_value(attrs, attr::comm_size);
    const IntValue peer = int_value(attrs, sends ? attr::comm_dst : attr::comm_src);
    if (bytes && bytes.value >= 0) s.bytes = bytes.value;
    if (peer && peer.value >= 0 && peer.value <= largest_rank) s.peer = static_cast<std::int32_t>(peer.value);
    const std::uint32_t partner = set_.nodes[number].partner;
    // Both ends use the number of the send.
    if (partner != no_index && set_.nodes[partner].timed()) s.flow = std::uint64_t{sends ? number : partner} + 1;
    if (!sends || s.peer < 0) return;
    Run::Traffic& traffic = matrix_[{s.rank, static_cast<Rank>(s.peer)}];
    traffic.src = s.rank;
    traffic.dst = static_cast<Rank>(s.peer);
    ++traffic.messages;
    if (s.bytes > 0 && __builtin_add_overflow(traffic.bytes, s.bytes, &traffic.bytes))
      traffic.bytes = std::numeric_limits<std::int64_t>::max();
  }

  void add_deps() {
    for (std::size_t t = 0; t < set_.traces.size(); ++t) {
      const std::uint32_t first = set_.first[t];
      for (std::uint32_t i = 0; i < set_.graphs[t].size(); ++i) {
        if (slice_of_[first + i] == no_index) continue;
        for (const Edge& e : set_.graphs[t].children(i)) {
          if (slice_of_[first + e.node] != no_index)
            run_.deps.push_back({slice_of_[first + i], slice_of_[first + e.node]});
        }
      }
    }
  }

  void count_nodes() {
    std::map<Rank, Run::Npu> npus;
    for (const Trace& trace : set_.traces) npus[trace.rank].rank = trace.rank;
    for (const Run::Npu& npu : run_.npus) npus[npu.rank] = npu;
    run_.npus.clear();
    for (const Trace& trace : set_.traces)
      npus[trace.rank].nodes = npus[trace.rank].nodes_done = trace.nodes.nodes.size();
    for (auto& [rank, npu] : npus) run_.npus.push_back(npu);
  }

  const RecordedSet& set_;
  Run run_;
  std::vector<std::uint32_t> slice_of_;  // by node; no_index: no slice
  std::map<std::pair<Rank, Rank>, Run::Traffic> matrix_;
};

}  // namespace

Run recorded_run(std::span<const Trace> traces, const std::string& name, Diagnostics& diagnostics) {
  return RunMaker(recorded_set(traces, name, diagnostics)).make();
}

}  // namespace convert
