// SPDX-License-Identifier: MIT
// Options of et-link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/options.h"

namespace tools {

struct LinkToolOptions {
  std::optional<std::string> host;
  std::optional<std::string> device;
  std::optional<std::int64_t> rank;
  std::optional<std::string> ranks;
  std::string gaps = "keep";
  std::string metadata_nodes = "drop";
  bool data_deps = false;
  bool reduce = false;
  bool relax = false;
  bool mismatched = false;
  std::string unmatched = "warn";
  std::optional<std::string> check;
  std::optional<std::string> report;
  bool list_unmatched = false;
  std::optional<std::string> compat;
};

void add_link_options(App& app, LinkToolOptions& to);

// Throws Error(usage) for options that cannot be combined. `many`: the names of the files contain %r. `alone`: no
// other process links ranks of the same set.
void check_link_options(const LinkToolOptions& options, const OutputOptions& output, bool many, bool alone);

}  // namespace tools
