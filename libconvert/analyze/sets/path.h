// SPDX-License-Identifier: MIT
// Lower bounds on the time of a trace set: its work, and the longest chain of nodes through all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/figures/figures.h"
#include "analyze/sets/path_rank.h"

namespace convert {

struct SetPath {
  // A node on the longest chain.
  struct Step {
    Rank rank = 0;
    NodeId node = 0;
    Picoseconds time_ps = 0;
    PathRank::Work work = PathRank::Work::none;
  };
  Sum work_ps;                   // of all nodes
  Sum span_ps;                   // of the longest chain
  Sum compute_span_ps;           // of the longest chain if communication takes no time
  Sum comm_span_ps;              // of the longest chain if computing takes no time
  std::uint64_t span_nodes = 0;  // on the longest chain
  std::uint64_t depth = 0;       // nodes of the chain with most nodes, messages included
  Sum busiest_ps;                // largest compute time of one rank, its nodes run one after the other
  Rank busiest_rank = 0;
  std::uint64_t stuck = 0;         // nodes that never run: they wait for missing nodes or for each other
  std::uint64_t pairs = 0;         // messages with both ends
  std::uint64_t joined_calls = 0;  // collectives of at least two ranks
  std::vector<Step> steps{};       // steps of the longest chain that take time, from the first
};

// Returns the path. A receive waits for its send, a collective for the calls of all ranks that use its group; then
// each node takes its own time. Linear in nodes, dependencies, messages and calls.
[[nodiscard]] SetPath find_path(const std::vector<PathRank>& ranks);

}  // namespace convert
