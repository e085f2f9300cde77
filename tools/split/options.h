// SPDX-License-Identifier: MIT
// Declares the options of et-split.
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

  // Returns whether one trace is split, and not something made of a set.
  [[nodiscard]] bool splits() const {
    return !join && !collapse && !fold && !ranks && !iteration && !window && !scale;
  }
};

void add_split_options(App& app, SplitToolOptions& to);

// Throws Error(usage) for options that do not go together.
void check_split_options(const SplitToolOptions& options);

// Returns what they say of splitting. Throws Error(usage) for --by without a kind or a value.
[[nodiscard]] convert::SplitOptions split_options(const SplitToolOptions& options, unsigned jobs);
// Returns what they say of taking ranks and folding collectives. Throws Error(usage) for a list of ranks that is
// none.
[[nodiscard]] convert::RankwiseOptions rankwise_options(const SplitToolOptions& options);
// Returns what --iteration and --repeat say. Throws Error(usage) as iteration_options() does.
[[nodiscard]] convert::IterationOptions iterating_options(const SplitToolOptions& options, unsigned jobs);
// Returns what --partial says.
[[nodiscard]] convert::PartialCalls partial_calls(const SplitToolOptions& options);

}  // namespace tools
