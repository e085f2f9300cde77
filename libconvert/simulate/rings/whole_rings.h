// SPDX-License-Identifier: MIT
// Says in which programs rings are run as wholes.
#pragma once

#include <cstdint>

#include "simulate/program/program.h"
#include "simulate/system/plan.h"

namespace convert {

// Returns whether no message of the program meets another, nor is looked at, and all phases of its collectives are
// rings that can be run as wholes.
[[nodiscard]] bool can_run_whole_rings(const CommonProgram& program);
// Returns whether all messages of the program are those of rings with exact sizes that can be tried as
// RingsOnLanes.
[[nodiscard]] bool may_run_on_lanes(const LinkedProgram& program);
// Returns how many of a plan's rings begin together on each member.
[[nodiscard]] std::uint32_t rings_at_once(const CollectivePlan& plan, const SystemModel& model);

}  // namespace convert
