// SPDX-License-Identifier: MIT
// Takes out of a set what keeps it from ending: dependencies that say nothing but in which order things ran.
//
// A recording that ended cannot be deadlocked. Where the ranks of one wait for each other in a circle all the same,
// an order that was recorded was not needed, or messages are paired that do not belong together.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "passes/link/report.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"

namespace convert {

// What relax() has to know of a rank besides its summary.
struct RecordedOrder {
  struct Edge {  // indices of nodes
    std::uint32_t child;
    std::uint32_t parent;
    DepRule rule;
  };
  std::vector<Edge> edges;  // dependencies that dep_rules knows as order and nothing else; by child, then parent
  // By node, in nanoseconds since what base_time_nanos says; unknown where the node has no time.
  static constexpr std::int64_t unknown = -1;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  bool has_base = false;  // base_time_nanos is known, and in the times

  // The edge, or null.
  [[nodiscard]] const Edge* find(std::uint32_t child, std::uint32_t parent) const;
};
[[nodiscard]] RecordedOrder recorded_order(const Trace& trace);

// A dependency that is taken out.
struct Cut {
  NodeId node = 0;
  NodeId dependency = 0;
  DepRule rule{};
  // What the recorded times contradict.
  enum class Contradicted : std::uint8_t {
    nothing,
    order,    // `dependency` ended after `node` began, and did not hold it back
    message,  // `dependency`, a receive, ended before its send began
    call,     // `dependency`, a collective, ended before another rank called it
  };
  Contradicted contradicted = Contradicted::nothing;
};
// By rank; of each rank by node, then dependency.
using Cuts = std::map<Rank, std::vector<Cut>>;

// A receive that ended before the send that it is paired with began.
struct ContradictedPair {
  Rank source = 0;
  NodeId send = 0;
  Rank destination = 0;
  NodeId receive = 0;
  std::int64_t by_ns = 0;
};

struct Relaxation {
  bool circles = false;   // there were some
  bool breakable = true;  // without all order no circle is left; else nothing is taken out
  Cuts cuts;
  std::vector<ContradictedPair> pairs;  // among what lies on circles
};

// Which dependencies to take out so that no circle is left. Putting back any single one closes a circle. Those go
// first that the recorded times contradict: their source is a receive that ended before its send began, ended after
// their target began, or is a collective that ended before some rank called it. Then the order of threads and
// streams, then launches, events and synchronisation. Near linear; what lies on no circle is not looked at. `set`
// and `orders` are by rank.
[[nodiscard]] Relaxation relax(std::span<const TraceSummary> set, std::span<const RecordedOrder> orders,
                               const GroupLists* groups);

// Takes them out of the nodes, with what dep_rules says of them. `cuts`: of one rank.
void cut_dependencies(NodeTable& table, std::span<const Cut> cuts);

}  // namespace convert
