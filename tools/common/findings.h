// SPDX-License-Identifier: MIT
// Findings as machine-readable results, and the table of rules.
#pragma once

#include <string>

#include "core/diagnostic.h"

namespace tools {

// The rules with what they find, for --list-rules.
[[nodiscard]] std::string rule_table();

// On standard output, one JSON object a line, or one array of them.
void print_findings(const convert::Diagnostics& diagnostics, bool as_array);

}  // namespace tools
