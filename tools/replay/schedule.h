// SPDX-License-Identifier: MIT
// Makes the schedule of a replay (-t ten).
#pragma once

#include <span>
#include <string>

#include "common/tool.h"
#include "core/algorithm/schedule.h"
#include "core/trace.h"
#include "scenario/scenario.h"
#include "simulate/engine/replay.h"

namespace tools {

// Returns the schedule of the replay of the traces, on the network without its failed links. Throws Error(input) if
// a schedule cannot express the replay.
[[nodiscard]] convert::Schedule schedule_of_run(std::span<const convert::Trace> traces,
                                                const convert::ReplayResult& result,
                                                const convert::Scenario& scenario, const std::string& name,
                                                Context& context);

}  // namespace tools
