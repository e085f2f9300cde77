// SPDX-License-Identifier: MIT
// Declares et-stats's options, and says what they ask for.
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

  // Returns the operations that an NPU can do in a nanosecond; 0: not told. Throws Error(usage) if --peak is none.
  [[nodiscard]] double ops_per_ns() const;
  // Returns whether only some sections are asked for, and whether this is one of them.
  [[nodiscard]] bool chosen() const { return !sections.empty() || get.has_value(); }
  [[nodiscard]] bool wants(std::string_view section) const;
  // Returns "text", "json" or "csv": what --format says, else the suffix of -o. Throws Error(usage) for another
  // suffix.
  [[nodiscard]] std::string form() const;
  // Returns how many rows of a table to show; 0: all.
  [[nodiscard]] std::size_t rows() const;
};

void declare_stats(App& app, StatsOptions& o);
// Returns the names of all sections, with what is in them, for --show list.
[[nodiscard]] std::string section_list();
// Throws Error(usage) for options that do not go together.
void check_usage(const StatsOptions& o);
// Throws Error(usage) for a section that was asked for and that the input does not have.
void check_sections(const convert::Statistics& made, const StatsOptions& o);

}  // namespace tools
