// SPDX-License-Identifier: MIT
// Options of et-merge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "sets/derived/merging.h"

namespace tools {

struct MergeToolOptions {
  InputOptions input;
  std::optional<std::string> workload;
  OutputOptions output;
  std::vector<std::string> algorithms;
  std::optional<std::string> map;
  std::optional<std::string> ranks;
  std::int64_t chunks = 1;
  bool require_all = false;
  std::string misfits = "error";
};

void add_merge_options(App& app, MergeToolOptions& to);

// Returns the options of merging, with the rules of the map file. Throws Error(usage) for an invalid rule or list
// of ranks, Error(input) for an invalid map.
[[nodiscard]] convert::MergeOptions merge_options(const MergeToolOptions& options, unsigned jobs);

// Returns the files of the rules. The output must not replace them, but may replace the workload.
[[nodiscard]] std::vector<std::string> files_of_rules(const MergeToolOptions& options,
                                                      const convert::MergeOptions& merging);

}  // namespace tools
