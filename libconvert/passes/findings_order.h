// SPDX-License-Identifier: MIT
// Orders findings for printing.
#pragma once

#include <span>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

// Returns the findings in print order. Findings in one text file are sorted by line and column among their
// positions in `findings`; findings without a line keep their position.
[[nodiscard]] std::vector<const Diagnostic*> in_order_of_lines(std::span<const Diagnostic> findings);

}  // namespace convert
