// SPDX-License-Identifier: MIT
// Compares a synthesized algorithm with the collective library of a machine.
#pragma once

#include <cstdint>

#include "config/network/network.h"
#include "core/algorithm/algorithm.h"
#include "scenario/bench/call_series.h"
#include "synthesis/problem.h"

namespace tools {

// Sets the time of the library, and the time of the algorithm on the machine as et-replay determines it. `npus`:
// number of participants. An algorithm that does not have all NPUs of the network keeps its time.
void compare_with_library(const convert::NetworkConfig& network, const convert::SynthesisRequest& request,
                          std::uint32_t npus, const convert::Algorithm& algorithm, convert::TimedCall& call);

}  // namespace tools
