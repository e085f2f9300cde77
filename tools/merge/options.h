// SPDX-License-Identifier: MIT
// Declares the options of et-merge.
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

// Returns what they say of merging, with the rules of the map, which is read. Throws Error(usage) for a rule or a
// list of ranks that is none, Error(input) for the map.
[[nodiscard]] convert::MergeOptions merge_options(const MergeToolOptions& options, unsigned jobs);

// Returns the files of the rules, which the result may not replace, as it may the workload.
[[nodiscard]] std::vector<std::string> files_of_rules(const MergeToolOptions& options,
                                                      const convert::MergeOptions& merging);

}  // namespace tools
