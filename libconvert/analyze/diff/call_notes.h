// SPDX-License-Identifier: MIT
// Notes on the collective calls of two runs: their algorithms, and how sure their times are.
#pragma once

#include <string>
#include <vector>

#include "core/run.h"

namespace convert {

// Returns sentences: calls of equal operation, size and number of NPUs that have other algorithms in B; if they
// differ, origins and expected errors of times on machines.
[[nodiscard]] std::vector<std::string> notes_of_calls(const Run& a, const Run& b);

}  // namespace convert
