// SPDX-License-Identifier: MIT
// Orders the nodes of a rank to find its iterations.
#pragma once

#include "passes/iterations/iterations.h"

namespace convert {

// Returns Iterations::order. Throws Error(input) [iterations] if the dependencies have a cycle.
[[nodiscard]] std::vector<std::uint32_t> iteration_order(const Trace& trace);

}  // namespace convert
