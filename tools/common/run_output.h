// SPDX-License-Identifier: MIT
// Writes runs in the format that -t or the suffix of a file names: .run, .html, .pftrace, .json.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/run.h"
#include "formats/format.h"
#include "io/output.h"

namespace tools {

// Output form of a run: a format with write_runs, or the report page.
struct RunForm {
  convert::FormatChoice choice;  // no format: the page
  [[nodiscard]] bool page() const { return choice.format == nullptr; }
  [[nodiscard]] bool binary() const;
};

// Returns the form that `to` names or, without it, the suffix of `path`; nothing if that is not a form of runs. A
// .json file is a Chrome trace.
[[nodiscard]] std::optional<RunForm> run_form(const std::optional<std::string>& to,
                                              const std::optional<std::string>& path);

// Writes the runs; does not close `out`. Throws Error(usage) if the form cannot hold that number of runs.
void write_runs(const RunForm& form, std::span<const convert::Run> runs, convert::Output& out);

}  // namespace tools
