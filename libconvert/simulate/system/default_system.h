// SPDX-License-Identifier: MIT
// The system layer where the user gives none: the algorithm that fits each dimension of the network.
#pragma once

#include "config/network/network.h"
#include "config/system.h"

namespace convert {

// Ring dimensions run ring, fully connected ones direct, switches halving doubling where their number of NPUs
// allows it, all-to-all is direct. Four chunks, all at once, no endpoint delay, reductions for free. A network
// without dimensions is one of `npus`.
[[nodiscard]] SystemConfig default_system(const NetworkConfig& network);

}  // namespace convert
