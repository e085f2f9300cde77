// SPDX-License-Identifier: MIT
// Reads Kineto's trace of one rank: Chrome-trace JSON as PyTorch's profiler exports it. The format: et-formats(5).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/diagnostic.h"
#include "core/profile.h"
#include "core/trace.h"
#include "io/input.h"

namespace convert {

// Reads all of `input`: an object with traceEvents or the array alone. Throws Error(input) with line and column on
// what is not JSON, and on times that are no numbers or negative; durations below 0 count as 0 and ids that are no
// integers as absent, with a warning. Where an event has a key twice, the last value counts. Of values that are not
// used only brackets, commas and colons are checked. `window_bytes`: how much of the text is in memory at a time.
[[nodiscard]] Profile read_kineto(Input& input, Diagnostics& diagnostics,
                                  std::size_t window_bytes = std::size_t{1} << 20U);

// Returns whether a file begins like one of Kineto's, or another Chrome trace.
[[nodiscard]] bool sniff_kineto(std::string_view head);

// Returns the rank of distributedInfo, if that stands in the beginning of a file.
[[nodiscard]] std::optional<Rank> told_rank_of_kineto(std::string_view head);

}  // namespace convert
