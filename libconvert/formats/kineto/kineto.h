// SPDX-License-Identifier: MIT
// Reader of the Kineto trace of one rank: Chrome-trace JSON as exported by PyTorch's profiler. Format:
// et-formats(5).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/diagnostic.h"
#include "core/profile.h"
#include "core/trace.h"
#include "io/input.h"

namespace convert {

// Reads all of `input`: an object with traceEvents, or the array alone. Throws Error(input) with line and column if
// the text is not JSON, or a time is negative or not a number. Negative durations become 0, and ids that are not
// integers are ignored; both with a warning. If an event has a key twice, the last value counts. Only brackets,
// commas and colons are checked in unused values. `window_bytes`: size of the window on the text in memory.
[[nodiscard]] Profile read_kineto(Input& input, Diagnostics& diagnostics,
                                  std::size_t window_bytes = std::size_t{1} << 20U);

// Returns whether a file begins like a Kineto trace or another Chrome trace.
[[nodiscard]] bool sniff_kineto(std::string_view head);

// Returns the rank of distributedInfo, if the beginning of the file contains it.
[[nodiscard]] std::optional<Rank> told_rank_of_kineto(std::string_view head);

}  // namespace convert
