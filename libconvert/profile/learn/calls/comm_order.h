// SPDX-License-Identifier: MIT
// Global order of the communications of all ranks of a job; each rank's order is a part of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "profile/learn/rank_log.h"
#include "profile/workload_profile.h"

namespace convert {

// Topological order of a graph in which a collective, or a send with its receive, is one vertex. Separate orders of
// ranks are not enough: two independent collectives of different groups could be in opposite order on two ranks.
struct CommOrder {
  // By recorded part: the joined part that contains it. Parts are joined if a communication is in one part on one
  // rank and in another part on another rank.
  std::vector<std::uint32_t> part{};
  std::uint32_t iterations = 1;      // after joining
  std::vector<bool> is_iteration{};  // by joined part; else prologue or epilogue
  [[nodiscard]] ProfileJob::Part kind(std::uint32_t joined) const {
    if (is_iteration[joined]) return ProfileJob::Part::iteration;
    const auto first = std::ranges::find(is_iteration, true) - is_iteration.begin();
    return joined < first ? ProfileJob::Part::prologue : ProfileJob::Part::epilogue;
  }
  // By rank and call: position of its vertex in the order. Positions define the order of a rank's calls.
  std::vector<std::vector<std::uint32_t>> places{};
  std::uint32_t vertices = 0;
  // The graph has a cycle; positions are in each rank's own order, and no vertices are shared.
  bool circular = false;
};

// Returns the order. Warns, with ranks and nodes, of communications that wait for each other in a cycle. Also warns
// of ranks with different numbers of iterations; then the whole job is one iteration. `set`: its name.
[[nodiscard]] CommOrder comm_order(std::span<const RankLog> ranks, const std::string& set,
                                   Diagnostics& diagnostics);

}  // namespace convert
