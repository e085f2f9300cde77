// SPDX-License-Identifier: MIT
// Default configuration of the collective engine: a suitable algorithm for each dimension of the network.
#pragma once

#include "config/network/network.h"
#include "config/system.h"

namespace convert {

// Returns the configuration. Ring dimensions use ring, fully connected dimensions direct, switches halving doubling
// if their number of NPUs is a power of two; all-to-all uses direct. There are four chunks, all at once, no
// endpoint delay, and reductions take no time. In a network without dimensions, one ring joins all NPUs, and
// all-to-all uses direct.
[[nodiscard]] SystemConfig default_system(const NetworkConfig& network);

}  // namespace convert
