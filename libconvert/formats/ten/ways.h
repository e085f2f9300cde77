// SPDX-License-Identifier: MIT
// Joins the transfers of a file, each over one link, into transfers of a schedule from NPU to NPU: rule R8.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

// A transfer from a switch that continues another transfer, named by its id, to that switch.
struct Continuation {
  std::uint32_t transfer = 0;  // index
  std::int32_t after = 0;      // id
};

// Replaces the transfers to and from switches by their routes. Each arrival at a switch continues exactly once: the
// k-th departure of a chunk continues the k-th arrival, unless `continuations` state otherwise. Throws Error(input)
// [R8] if that is impossible, or a departure precedes its arrival.
void join_ways(Schedule& schedule, std::span<const Continuation> continuations);

// Returns the continuations without which join_ways() would not restore the routes of this schedule. `transfer` is
// an index into `legs`, all legs in file order.
[[nodiscard]] std::vector<Continuation> needed_continuations(const Schedule& schedule, std::span<const Leg> legs);

}  // namespace convert
