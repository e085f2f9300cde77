// SPDX-License-Identifier: MIT
// Removes pure order dependencies from a recorded set, so that its replay finishes.
//
// A finished recording cannot be deadlocked. If its ranks nevertheless depend on each other in a cycle, either a
// recorded order was not needed, or unrelated messages are paired.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "passes/link/report.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"

namespace convert {

// Facts about a rank for relax(), in addition to its summary.
struct RecordedOrder {
  struct Edge {  // indices of nodes
    std::uint32_t child;
    std::uint32_t parent;
    DepRule rule;
  };
  std::vector<Edge> edges;  // pure order dependencies by dep_rules; by child, then parent
  // Begins and ends by node, in ns, including base_time_nanos if has_base; `unknown`: no recorded time.
  static constexpr std::int64_t unknown = -1;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  bool has_base = false;  // base_time_nanos is known and added to the times

  [[nodiscard]] const Edge* find(std::uint32_t child, std::uint32_t parent) const;
};
// Returns the recorded times of a trace, and its pure order dependencies.
[[nodiscard]] RecordedOrder recorded_order(const Trace& trace);

// A dependency to remove.
struct Cut {
  NodeId node = 0;
  NodeId dependency = 0;
  DepRule rule{};
  // How the recorded times contradict the dependency.
  enum class Contradicted : std::uint8_t {
    nothing,
    order,    // `dependency` ended after `node` began, so it did not hold it back
    message,  // `dependency`, a receive, ended before its send began
    call,     // `dependency`, a collective, ended before another rank called it
  };
  Contradicted contradicted = Contradicted::nothing;
};
// Cuts by rank, each list by node, then dependency.
using Cuts = std::map<Rank, std::vector<Cut>>;

// A receive that ended before its paired send began.
struct ContradictedPair {
  Rank source = 0;
  NodeId send = 0;
  Rank destination = 0;
  NodeId receive = 0;
  std::int64_t by_ns = 0;
};

// Result of relax().
struct Relaxation {
  bool cycles = false;    // the set has cycles
  bool breakable = true;  // removing all pure order dependencies breaks them; false: no cuts
  Cuts cuts;
  std::vector<ContradictedPair> pairs;  // pairs on cycles
};

// Returns dependencies whose removal leaves no cycle; restoring any single one closes a cycle. Dependencies that
// the recorded times contradict are removed first: their source is a receive that ended before its send began,
// ended after their target began, or is a collective that ended before some rank called it. The order of threads
// and streams follows, then launches, events and synchronisation. Runs in near-linear time and visits only nodes on
// cycles. `set`, `orders`: by rank.
[[nodiscard]] Relaxation relax(std::span<const TraceSummary> set, std::span<const RecordedOrder> orders,
                               const GroupLists* groups);

// Removes the cuts of one rank from its nodes, with their letters in dep_rules.
void cut_dependencies(NodeTable& table, std::span<const Cut> cuts);

}  // namespace convert
