// SPDX-License-Identifier: MIT
// Runs a set without times, to see whether partners that change with the order of issue leave ranks waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {

struct Stuck {
  std::vector<std::uint32_t> waiting;  // first waiting node of each blocked rank, by rank
  std::uint64_t left = 0;              // nodes that never end
  std::string how;                     // "where computing takes no time"
};

// Starts what is ready by the lowest id and gives messages of one source, destination, tag and size to receives in
// the order in which they start; with nodes that compute for equally long, not at all, and longer than anything
// else, and the same with one send or collective of a rank at a time, whose collectives meet in the order in which
// they start as well. Returns the first run that does not end; nothing if all do, if dependencies leave no choice,
// or if a message or call lacks its partner. The set has no circles.
[[nodiscard]] std::optional<Stuck> find_stuck_run(const WholeSet& whole, std::span<const TraceSummary> set,
                                                  const GroupLists* groups);

}  // namespace convert::rules
