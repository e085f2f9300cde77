// SPDX-License-Identifier: MIT
// Puts the communications of all ranks of a job into one order, so that each rank's part of it agrees with all
// others.
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

// The order of a graph in which a collective, and a send with its receive, is one vertex. Orders made rank by rank
// are not enough: two independent collectives of different groups could stand in opposite order on two ranks.
struct CommOrder {
  // By part of the recording: the part that it belongs to. Parts are joined where a communication is of one part on
  // one rank and of another one on another rank.
  std::vector<std::uint32_t> part{};
  std::uint32_t iterations = 1;      // after joining
  std::vector<bool> is_iteration{};  // by part after joining; else prologue or epilogue
  [[nodiscard]] ProfileJob::Part kind(std::uint32_t joined) const {
    if (is_iteration[joined]) return ProfileJob::Part::iteration;
    const auto first = std::ranges::find(is_iteration, true) - is_iteration.begin();
    return joined < first ? ProfileJob::Part::prologue : ProfileJob::Part::epilogue;
  }
  // By rank and call: the place of its vertex. A rank's order is that of its places.
  std::vector<std::vector<std::uint32_t>> places{};
  std::uint32_t vertices = 0;
  bool circular = false;  // then places are those in the rank's own order, and nothing is the same vertex
};

// Returns the order. Warns, with the ranks and nodes, of communications that wait for each other in a circle, and
// of ranks that have other numbers of iterations: then all is one iteration. `set`: its name.
[[nodiscard]] CommOrder comm_order(std::span<const RankLog> ranks, const std::string& set,
                                   Diagnostics& diagnostics);

}  // namespace convert
