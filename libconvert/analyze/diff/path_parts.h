// SPDX-License-Identifier: MIT
// Divides the critical path of a run into computing, collectives, messages and waiting for an NPU.
//
// The path of a straggler leads through its computing. There are two cases: the other NPUs compute as well, or they
// wait. Work of an NPU before a collective or a message of this NPU is therefore split. It counts as "waiting for
// NPU 5" from the time at which at least half of the other NPUs can only wait. The other NPUs are the members of
// the group for a collective, and all NPUs for a message.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/run.h"

namespace convert {

// Kind of a path part: own work of an NPU (including CPU and memory); collectives and messages; waiting for an NPU,
// or unexplained time.
enum class PathWork : std::uint8_t { computing, communication, waiting };
// Calls part(kind, what, name, time) for the parts of the path, which add up to the path. `what` is for example
// "computing", "all_reduce" or "waiting for NPU 5"; `name` is the name of the node and lives as long as the run.
using TakePathPart =
    std::function<void(PathWork kind, const std::string& what, std::string_view name, Picoseconds time)>;
void for_each_path_part(const Run& run, const TakePathPart& part);

// Share of each kind in the path; the shares add up to 1.
struct PathShares {
  double computing = 0, communication = 0, waiting = 0;
};
// Returns the shares. Returns nothing if the run has no critical path or the path takes no time.
[[nodiscard]] std::optional<PathShares> path_shares(const Run& run);

}  // namespace convert
