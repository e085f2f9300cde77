// SPDX-License-Identifier: MIT
// Contents of a recorded trace set: times and dependencies of its nodes, matched messages and collectives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/run.h"
#include "core/run/group_names.h"
#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Nodes of all ranks are numbered consecutively, rank by rank.
struct RecordedSet {
  struct Node {
    Picoseconds begin_ps = -1;  // -1: not recorded
    Picoseconds end_ps = -1;
    std::uint32_t partner = no_index;  // of a message: the node at the other end
    std::uint32_t call = no_index;     // of a collective
    [[nodiscard]] bool timed() const { return begin_ps >= 0; }
  };
  std::span<const Trace> traces;
  std::vector<Graph> graphs;         // by trace
  std::vector<std::uint32_t> first;  // by trace: the number of its first node; ends with the number of all nodes
  std::vector<Node> nodes;
  std::vector<Run::Call> calls;
  std::vector<std::vector<std::uint32_t>> members;  // by call: its nodes
  GroupNames group_names;                           // of groups whose name is not a number
  std::uint64_t untimed = 0;                        // nodes with an activity but no recorded time

  [[nodiscard]] std::size_t trace_of(std::uint32_t node) const;
  [[nodiscard]] const convert::Node& node_of(std::uint32_t node) const {
    const std::size_t t = trace_of(node);
    return traces[t].nodes.nodes[node - first[t]];
  }
};
// Reads times, dependencies, messages and collectives. Throws Error(input) as recorded_run() does.
[[nodiscard]] RecordedSet recorded_set(std::span<const Trace> traces, const std::string& name,
                                       Diagnostics& diagnostics);

// Returns whether at least one node has a recorded time.
[[nodiscard]] bool states_times(const Trace& trace);
// Returns the error of a set without recorded times.
[[nodiscard]] Error no_recorded_times(const std::string& name);

}  // namespace convert
