// SPDX-License-Identifier: MIT
// Checks which programs can run rings as wholes.
#pragma once

#include <cstdint>

#include "simulate/program/program.h"
#include "simulate/system/plan.h"

namespace convert {

// Returns whether all phases of the program's collectives are rings that can be run as wholes. No message of the
// program may meet another, or be observed.
[[nodiscard]] bool can_run_whole_rings(const CommonProgram& program);
// Returns whether all messages of the program belong to rings with exact sizes, so that RingsOnLanes can be tried.
[[nodiscard]] bool may_run_on_lanes(const LinkedProgram& program);
// Returns the number of a plan's rings that begin together on each member.
[[nodiscard]] std::uint32_t rings_at_once(const CollectivePlan& plan, const SystemModel& model);

}  // namespace convert
