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

// Returns the form of runs that -t or a suffix only of runs names; always a form for et-timeline. Nothing: the
// input decides.
[[nodiscard]] std::optional<RunForm> asked_form(const OutputOptions& output, bool timeline);
// Returns the form for an input that holds a run: from the suffix, else perfetto. Throws Error(usage) if -t names a
// format of traces.
[[nodiscard]] RunForm form_of_run(const convert::TraceSource& source, const OutputOptions& output);

// Writes the runs; returns the exit status.
[[nodiscard]] int convert_runs(const std::vector<convert::Run>& runs, const RunForm& form,
                               const OutputOptions& output, Context& context);

// Returns the description of et-timeline.
[[nodiscard]] ToolInfo timeline_info();

}  // namespace tools
