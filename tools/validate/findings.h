// SPDX-License-Identifier: MIT
// Opens the input of et-validate, and prints its findings and the table of rules.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/tool.h"
#include "sets/check.h"
#include "sets/source.h"

namespace tools {

// Returns the rules and what they find, for --list-rules.
[[nodiscard]] std::string rule_table();

// Opens the input. Returns null, after adding a finding, if the input cannot be read at all.
[[nodiscard]] std::unique_ptr<convert::TraceSource> open_source(convert::SourceOptions options, Context& context);

// Prints the findings: "text" on standard error; on standard output "jsonl", an object a line, or "json", an array.
void report_findings(const std::string& format, Context& context);

// Prints the verdict on a valid input on a terminal: "a2a.xml: 4 GPUs, all_to_all, 36 steps: valid, result proved".
void tell_verdict(const convert::TraceSource& source, const convert::CheckSummary& checked, const Context& context);

// Logs with -v the number of checked ranks and the number of findings.
void log_summary(std::size_t ranks, const convert::Diagnostics& diagnostics);

}  // namespace tools
