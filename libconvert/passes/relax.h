// SPDX-License-Identifier: MIT
// Takes dependencies that only say in which order things ran out of a recorded set, so that it ends when replayed.
//
// A recording that ended cannot be deadlocked. If its ranks wait for each other in a cycle all the same, a recorded
// order was not needed, or messages are paired that do not belong together.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "passes/link/report.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"

namespace convert {

// Holds what relax() has to know of a rank besides its summary.
struct RecordedOrder {
  struct Edge {  // indices of nodes
    std::uint32_t child;
    std::uint32_t parent;
    DepRule rule;
  };
  std::vector<Edge> edges;  // dependencies that are only order by dep_rules; by child, then parent
  // Begins and ends by node, ns: with base_time_nanos added if has_base, else as stated; unknown: without a time.
  static constexpr std::int64_t unknown = -1;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  bool has_base = false;  // base_time_nanos is known and added to the times

  [[nodiscard]] const Edge* find(std::uint32_t child, std::uint32_t parent) const;
};
// Returns the recorded times of a trace, and those of its dependencies that are only order.
[[nodiscard]] RecordedOrder recorded_order(const Trace& trace);

// Names a dependency that is taken out.
struct Cut {
  NodeId node = 0;
  NodeId dependency = 0;
  DepRule rule{};
  // Says how the recorded times contradict the dependency.
  enum class Contradicted : std::uint8_t {
    nothing,
    order,    // `dependency` ended after `node` began, and did not hold it back
    message,  // `dependency`, a receive, ended before its send began
    call,     // `dependency`, a collective, ended before another rank called it
  };
  Contradicted contradicted = Contradicted::nothing;
};
// Cuts by rank, each list by node, then dependency.
using Cuts = std::map<Rank, std::vector<Cut>>;

// Names a receive that ended before the send that it is paired with began.
struct ContradictedPair {
  Rank source = 0;
  NodeId send = 0;
  Rank destination = 0;
  NodeId receive = 0;
  std::int64_t by_ns = 0;
};

struct Relaxation {
  bool cycles = false;    // the set had cycles
  bool breakable = true;  // dropping all dependencies that are only order ends them; false: no cuts
  Cuts cuts;
  std::vector<ContradictedPair> pairs;  // those on cycles
};

// Returns dependencies whose removal leaves no cycle; putting back any single one closes one. Takes first those
// that the recorded times contradict: their source is a receive that ended before its send began, ended after their
// target began, or is a collective that ended before some rank called it; then the order of threads and streams,
// then launches, events and synchronisation. Near linear; looks only at nodes on cycles. `set`, `orders`: by rank.
[[nodiscard]] Relaxation relax(std::span<const TraceSummary> set, std::span<const RecordedOrder> orders,
                               const GroupLists* groups);

// Takes the cuts of one rank out of its nodes, with their letters in dep_rules.
void cut_dependencies(NodeTable& table, std::span<const Cut> cuts);

}  // namespace convert
