// SPDX-License-Identifier: MIT
// Orders findings as tools print them.
#pragma once

#include <span>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

// Returns the findings in the order of print. Findings in one text file are sorted by line and column among the
// places that they have in `findings`; findings without a line keep their place.
[[nodiscard]] std::vector<const Diagnostic*> in_order_of_lines(std::span<const Diagnostic> findings);

}  // namespace convert
