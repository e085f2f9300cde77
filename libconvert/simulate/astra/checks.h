// SPDX-License-Identifier: MIT
// Finds what ASTRA-sim cannot run, as far as that shows without running it.
#pragma once

#include "config/network/network.h"
#include "simulate/astra/gaps.h"
#include "simulate/networks/network.h"
#include "simulate/program/op.h"

namespace convert {

// Returns the gaps of a network.
[[nodiscard]] AstraGaps gaps_of(const NetworkConfig& network, NetworkModel model);

// Returns whether an NPU has nodes that ASTRA-sim's statistics do not know: of the CPU, of memory, or INVALID.
// They throw when such an NPU ends, which stops ASTRA-sim if it was an event of the network that ended it.
[[nodiscard]] bool has_unknown_to_statistics(const RankCode& code);

}  // namespace convert
