// SPDX-License-Identifier: MIT
// Writes the time-expanded page: the steps of an algorithm, the times of a schedule, or a replay of either.
#pragma once

#include <optional>
#include <string>

#include "common/tool.h"
#include "io/output.h"
#include "sets/source.h"

namespace tools {

struct TenOptions {
  std::optional<std::string> network;     // replay on it first
  std::optional<std::string> size;        // of the collective, for the replay
  std::optional<std::string> forwarding;  // at switches, for the replay
  std::optional<std::string> chunks;      // "0-7,12"
};

void add_ten_options(App& app, TenOptions& to);

// Writes the page of a source, with `findings` (of reading the source, see SourceOptions) and the findings of the
// proof. Returns false if no page is written; context.diagnostics has the reasons.
[[nodiscard]] bool write_ten_page(const TenOptions& options, convert::TraceSource& source,
                                  convert::Diagnostics& findings, convert::Output& output, Context& context);

}  // namespace tools
