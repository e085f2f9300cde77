// SPDX-License-Identifier: MIT
// Dimension along which the ranks of a set grow, from option --scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/groups.h"
#include "config/workload/workload.h"
#include "passes/scale/grid.h"

namespace convert {

struct ScaleOptions {
  std::string which;        // "dp", or the id of a group
  std::uint64_t ranks = 0;  // new number of ranks of the group
  unsigned jobs = 1;
};
// Parses "dp=1024" or "3=64". Throws Error(usage) about --scale for malformed texts, and, with the reason, for
// kinds of parallelism that cannot grow.
[[nodiscard]] ScaleOptions scale_options(const std::string& text);

// Maximum number of ranks of a grown set, as in et-generate.
inline constexpr std::uint64_t most_grown_ranks = std::uint64_t{1} << 24U;

// Returns why a workload cannot grow; empty: it can.
[[nodiscard]] std::string why_no_growth(const Workload& workload);
// Returns the layout of the data-parallel ranks of a plan.
[[nodiscard]] DataRanks data_ranks(const ParallelPlan& plan);

// Return how data-parallel ranks, or a group (0: all ranks), grow to a number of ranks. Throw Error(usage) if the
// group does not exist, or does not grow by a whole factor; Error(input) [scale] if it is not regular. `set`: name
// of the set.
[[nodiscard]] RankGrid data_grid(const DataRanks& before, std::uint64_t ranks);
[[nodiscard]] RankGrid group_grid(const ScaleOptions& options, std::span<const CommGroup> groups, Rank ranks,
                                  const std::string& set);

}  // namespace convert
