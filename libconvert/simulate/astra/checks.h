// SPDX-License-Identifier: MIT
// Detects cases that ASTRA-sim cannot run, as far as the input shows them without a run.
#pragma once

#include "config/network/network.h"
#include "simulate/astra/gaps.h"
#include "simulate/networks/network.h"
#include "simulate/program/op.h"

namespace convert {

// Returns the gaps of a network.
[[nodiscard]] AstraGaps gaps_of(const NetworkConfig& network, NetworkModel model);

// Returns whether an NPU has nodes that ASTRA-sim's statistics do not handle: CPU nodes, memory nodes or INVALID
// nodes. The statistics throw at the end of such an NPU. This stops ASTRA-sim if a network event ended the NPU.
[[nodiscard]] bool has_unknown_to_statistics(const RankCode& code);

}  // namespace convert
