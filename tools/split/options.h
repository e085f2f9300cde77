// SPDX-License-Identifier: MIT
// Options of et-split.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/options.h"
#include "sets/derived/iterating.h"
#include "sets/derived/rankwise.h"
#include "sets/derived/splitting.h"
#include "sets/derived/windowing.h"
#include "sets/scaled/scaling.h"

namespace tools {

struct SplitToolOptions {
  InputOptions input;
  OutputOptions output;
  std::optional<std::string> by;
  std::optional<std::int64_t> default_npu;
  std::optional<std::string> cross;
  std::optional<std::string> ranks;
  bool keep_ranks = false;
  bool join = false;
  bool collapse = false;
  bool fold = false;
  std::optional<std::string> iteration;
  std::int64_t repeat = 1;
  std::optional<std::string> scale;
  std::optional<std::string> window;
  std::optional<std::string> partial;

  // Returns whether one trace is split; otherwise a set is changed.
  [[nodiscard]] bool splits() const {
    return !join && !collapse && !fold && !ranks && !iteration && !window && !scale;
  }
};

void add_split_options(App& app, SplitToolOptions& to);

// Throws Error(usage) for options that cannot be combined.
void check_split_options(const SplitToolOptions& options);

// Returns the options of splitting. Throws Error(usage) for --split-by without a kind or a value.
[[nodiscard]] convert::SplitOptions split_options(const SplitToolOptions& options, unsigned jobs);
// Returns the options of taking ranks and folding collectives. Throws Error(usage) for a malformed list of ranks.
[[nodiscard]] convert::RankwiseOptions rankwise_options(const SplitToolOptions& options);
// Returns the options of --iteration and --repeat. Throws Error(usage) as iteration_options() does.
[[nodiscard]] convert::IterationOptions iterating_options(const SplitToolOptions& options, unsigned jobs);
// Returns the treatment of calls that --partial names.
[[nodiscard]] convert::PartialCalls partial_calls(const SplitToolOptions& options);

}  // namespace tools
