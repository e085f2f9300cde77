// SPDX-License-Identifier: MIT
// Runs a set without times, to find ranks that wait forever because partners depend on the order of issue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {

// Final state of a run that does not finish.
struct Stuck {
  std::vector<std::uint32_t> waiting;  // first waiting node of each blocked rank, by rank
  std::uint64_t left = 0;              // number of nodes that never end
  std::string how;                     // "if computing takes no time"
};

// Starts ready nodes in order of ids. A message goes to the first started receive with its source, destination, tag
// and size. Runs the set with nodes that take equally long, with computing that takes no time, and with computing
// that takes longer than all else. Repeats this with one send or collective of a rank at a time, where collectives
// meet in the order in which they start. Returns the first run that does not finish. Returns nullopt if all finish,
// if dependencies leave no choice, or if a message or call lacks its partner. The set must have no cycles.
[[nodiscard]] std::optional<Stuck> find_stuck_run(const WholeSet& whole, std::span<const TraceSummary> set,
                                                  const GroupLists* groups);

}  // namespace convert::rules
