// SPDX-License-Identifier: MIT
// Algorithms for several sizes: a file for each size, and the range of calls of each file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/algorithm/runtime_limits.h"
#include "generate/options.h"
#include "passes/lower/call_range.h"

namespace tools {

// Throws Error(usage) for sizes of 0 and sizes that do not ascend.
void check_sizes(const GenerateOptions& o);
// Throws Error(usage) if several sizes would go to standard output.
void check_files_of_sizes(const GenerateOptions& o);

// Returns the options for size number `i` only, with its largest call. If there are several sizes, the output is a
// numbered file or set.
[[nodiscard]] GenerateOptions options_of_size(const GenerateOptions& o, std::size_t i);

struct SizedCalls {
  convert::CallRange range{};  // minBytes and maxBytes
  std::int64_t end = 0;        // where the calls of the next larger size begin
};
// Returns the calls of an algorithm for size number `i`: from half the size to twice the size. The range begins at
// `begin` if there is a smaller size, and ends at the calls of the next larger size. `target`: the runtime; null:
// any.
[[nodiscard]] SizedCalls calls_of_size(const GenerateOptions& o, std::size_t i, std::int64_t begin,
                                       std::int32_t chunks, const convert::RuntimeLimits* target);

}  // namespace tools
