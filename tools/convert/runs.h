// SPDX-License-Identifier: MIT
// Converts runs: chooses their format, and writes them.
#pragma once

#include <optional>
#include <vector>

#include "common/options.h"
#include "common/run_output.h"
#include "common/tool.h"
#include "core/run.h"
#include "sets/source.h"

namespace tools {

// Returns the form of runs that is asked for: by -t, by a suffix that only runs have, or, for et-timeline, anyway.
// Nothing: the input decides.
[[nodiscard]] std::optional<RunForm> asked_form(const OutputOptions& output, bool timeline);
// Returns the form for an input that holds a run: that of the suffix, else perfetto. Throws Error(usage) if -t asks
// for traces.
[[nodiscard]] RunForm form_of_run(const convert::TraceSource& source, const OutputOptions& output);

// Writes the runs; returns the exit status.
[[nodiscard]] int convert_runs(const std::vector<convert::Run>& runs, const RunForm& form,
                               const OutputOptions& output, Context& context);

// Says what et-timeline is.
[[nodiscard]] ToolInfo timeline_info();

}  // namespace tools
