// SPDX-License-Identifier: MIT
// Divides the critical path of a run into what it is made of: computing, collectives, waiting for an NPU.
//
// The path of a straggler leads through its computing. But that is of two sorts: the others may compute as well, or
// they may stand and wait. So what an NPU does on the path before it comes to a collective, or sends a message, is
// "waiting for NPU 5" from when at least half of the others have nothing left to do but wait: of the others of the
// group, or for a message of all others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/run.h"

namespace convert {

// What a part of the path is: work of an NPU by itself (also on the CPU, and with memory); collectives and
// messages; that others wait for an NPU, or that nothing explains.
enum class PathWork : std::uint8_t { computing, communication, waiting };
// Calls part(kind, what, name, time) for the parts of the path, which add up to the path: what the time is, such as
// "computing", "all_reduce" or "waiting for NPU 5", the name of the node, and how long. The names stand as long as
// the run.
using TakePathPart =
    std::function<void(PathWork kind, const std::string& what, std::string_view name, Picoseconds time)>;
void for_each_path_part(const Run& run, const TakePathPart& part);

// The shares of the path that each kind has; they add up to 1.
struct PathShares {
  double computing = 0, communication = 0, waiting = 0;
};
// Returns the shares; nothing if the run has no critical path, or one that takes no time.
[[nodiscard]] std::optional<PathShares> path_shares(const Run& run);

}  // namespace convert
