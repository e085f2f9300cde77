// SPDX-License-Identifier: MIT
// Writes the time-expanded page: an algorithm in steps, a schedule in time, or what a replay of either did.
#pragma once

#include <optional>
#include <string>

#include "common/tool.h"
#include "io/output.h"
#include "sets/source.h"

namespace tools {

struct TenOptions {
  std::optional<std::string> network;     // replay on it first
  std::optional<std::string> size;        // of the collective, for that
  std::optional<std::string> forwarding;  // at switches, for that
  std::optional<std::string> chunks;      // "0-7,12"
};

void add_ten_options(App& app, TenOptions& to);

// Writes the page of a source. `findings`: what reading it found, see SourceOptions; they, and those of the proof,
// stand on the page. Returns false if there is none, with the reasons in context.diagnostics.
[[nodiscard]] bool write_ten_page(const TenOptions& options, convert::TraceSource& source,
                                  convert::Diagnostics& findings, convert::Output& output, Context& context);

}  // namespace tools
