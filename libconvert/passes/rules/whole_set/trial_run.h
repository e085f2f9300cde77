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

// Starts ready nodes by the lowest id; a message goes to the first receive started of its source, destination, tag
// and size. Runs the set with nodes that take equally long, with computing that takes no time, and with computing
// that takes longer than all else; then again with one send or collective of a rank at a time, where collectives
// meet in the order in which they start. Returns the first run that does not end; nothing if all end, dependencies
// leave no choice, or a message or call lacks its partner. The set must have no cycles.
[[nodiscard]] std::optional<Stuck> find_stuck_run(const WholeSet& whole, std::span<const TraceSummary> set,
                                                  const GroupLists* groups);

}  // namespace convert::rules
