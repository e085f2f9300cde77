// SPDX-License-Identifier: MIT
// Chooses the system layer where the user gives none: the algorithm that fits each dimension of the network.
#pragma once

#include "config/network/network.h"
#include "config/system.h"

namespace convert {

// Returns the system: ring dimensions run ring, fully connected ones direct, switches halving doubling where their
// number of NPUs allows it; all-to-all is direct. There are four chunks, all at once, no endpoint delay, and
// reductions for free. In a network without dimensions one ring joins all NPUs; all-to-all is direct.
[[nodiscard]] SystemConfig default_system(const NetworkConfig& network);

}  // namespace convert
