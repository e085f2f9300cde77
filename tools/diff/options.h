// SPDX-License-Identifier: MIT
// Options of et-diff, and their meaning.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/diff/difference.h"
#include "common/options.h"

namespace tools {

struct DiffOptions {
  std::vector<std::string> operands;
  std::optional<std::string> from;
  std::optional<std::string> groups;  // file of process groups of both
  bool structure = false;
  bool times = false;
  bool statistics = false;
  bool no_simulation = false;
  std::vector<std::string> networks;
  std::optional<std::string> tolerance;
  std::vector<std::string> ignore;
  std::optional<std::string> map_ranks;
  std::optional<std::int64_t> top;
  std::optional<std::string> output;
  std::optional<std::string> format;

  // Returns the options of the comparison. Throws Error(usage) for a malformed value and for options that cannot be
  // combined.
  [[nodiscard]] convert::DiffWishes wishes() const;
  // Throws Error(usage) for options that do not apply to --statistics.
  void check_statistics() const;
  // Returns "text" or "json": the value of --format, else the suffix of -o. Throws Error(usage) for another suffix.
  [[nodiscard]] std::string form() const;
  // Returns the number of rows of a table to show; 0: all.
  [[nodiscard]] std::size_t rows() const;
};

void declare_diff(App& app, DiffOptions& o);

}  // namespace tools
