// SPDX-License-Identifier: MIT
// Findings as machine-readable results, and the table of rules.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/tool.h"
#include "load/source.h"

namespace tools {

// The rules with what they find, for --list-rules.
[[nodiscard]] std::string rule_table();

// On standard output, one JSON object a line, or one array of them.
void print_findings(const convert::Diagnostics& diagnostics, bool as_array);

// Opens the input; input that cannot be read at all becomes a finding, and the result is null.
[[nodiscard]] std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, Context& context);

[[nodiscard]] std::optional<convert::Rank> rank_option(const InputOptions& options);

}  // namespace tools
