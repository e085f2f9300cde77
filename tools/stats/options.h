// SPDX-License-Identifier: MIT
// Options of et-stats, and their meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/figures/figures.h"
#include "common/options.h"

namespace tools {

struct StatsOptions {
  InputOptions input;
  std::optional<std::string> run;
  std::vector<std::string> sections;
  std::optional<std::string> by;
  std::optional<std::string> get;
  std::optional<std::string> network;
  std::optional<std::string> peak;
  std::optional<std::string> output;
  std::optional<std::int64_t> top;
  std::optional<std::string> format;

  // Returns the operations per nanosecond of an NPU; 0 if unknown. Throws Error(usage) if --peak is malformed.
  [[nodiscard]] double ops_per_ns() const;
  // chosen() returns whether only some sections are printed, wants() whether `section` is chosen.
  [[nodiscard]] bool chosen() const { return !sections.empty() || get.has_value(); }
  [[nodiscard]] bool wants(std::string_view section) const;
  // Returns "text", "json" or "csv": the value of --format, else the suffix of -o. Throws Error(usage) for another
  // suffix.
  [[nodiscard]] std::string form() const;
  // Returns the number of rows of a table to show; 0: all.
  [[nodiscard]] std::size_t rows() const;
};

void declare_stats(App& app, StatsOptions& o);
// Returns the names and contents of all sections, for --show list.
[[nodiscard]] std::string section_list();
// Throws Error(usage) for options that cannot be combined.
void check_usage(const StatsOptions& o);
// Throws Error(usage) for a section that was given and that the input does not have.
void check_sections(const convert::Statistics& made, const StatsOptions& o);

}  // namespace tools
