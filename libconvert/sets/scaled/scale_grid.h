// SPDX-License-Identifier: MIT
// Finds along which dimension the ranks of a set grow, as --scale asks for it.
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
  std::uint64_t ranks = 0;  // that it has then
  unsigned jobs = 1;
};
// Returns what `text`, "dp=1024" or "3=64", says. Throws Error(usage) that names --scale: malformed, or what cannot
// grow, with the reason.
[[nodiscard]] ScaleOptions scale_options(const std::string& text);

// The most ranks of a grown set, as many as et-generate makes.
inline constexpr std::uint64_t most_grown_ranks = std::uint64_t{1} << 24U;

// Returns why a workload cannot grow; empty: it can.
[[nodiscard]] std::string why_no_growth(const Workload& workload);
// Returns how the data-parallel ranks of a plan lie.
[[nodiscard]] DataRanks data_ranks(const ParallelPlan& plan);

// Returns how these grow to `ranks`, or a group, or all ranks as group 0. Throw Error(usage) if there is no such
// group, or it does not grow by a whole factor; Error(input) [scale] if the group is not regular. `set`: its name.
[[nodiscard]] RankGrid data_grid(const DataRanks& before, std::uint64_t ranks);
[[nodiscard]] RankGrid group_grid(const ScaleOptions& options, std::span<const CommGroup> groups, Rank ranks,
                                  const std::string& set);

}  // namespace convert
