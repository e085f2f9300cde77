// SPDX-License-Identifier: MIT
// Joins the transfers of a file, each over one wire, into those of a schedule, which go from NPU to NPU: rule R8.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

// Says that a transfer takes on what another one, named by its id, brings to a switch.
struct Continuation {
  std::uint32_t transfer = 0;  // index
  std::int32_t after = 0;      // id
};

// Replaces the transfers that lead to and from switches by their ways. What comes to a switch goes on once: the
// k-th departure of a chunk takes the k-th arrival, unless continuations say which. Throws Error(input) [R8] where
// that cannot be, or a departure is before its arrival.
void join_ways(Schedule& schedule, std::span<const Continuation> continuations);

// Returns the continuations without which join_ways() would not give this schedule's ways; `transfer` is the index
// of a leg in `legs`, all legs in the order in which they are written.
[[nodiscard]] std::vector<Continuation> needed_continuations(const Schedule& schedule, std::span<const Leg> legs);

}  // namespace convert
