// SPDX-License-Identifier: MIT
// Finds the number of an iteration in the name of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

// Tells which part of a name or attribute says the number of an iteration.
struct IterationMark {
  std::int64_t number = 0;
  bool begins = false;             // ProfilerStep#k: the nodes behind it belong to it
  std::size_t at = 0, digits = 0;  // of the number in the name; none: an attribute has it
};
// Returns the mark in a name: ProfilerStep#k, as PyTorch's profiler gives it, or a name that has "iteration k" in
// it, also "iteration_k", "Iteration #k" and the like.
[[nodiscard]] std::optional<IterationMark> iteration_in_name(std::string_view name);

}  // namespace convert
