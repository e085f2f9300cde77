// SPDX-License-Identifier: MIT
// Iteration numbers in node names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace convert {

// Position of an iteration number in a name or attribute.
struct IterationMark {
  std::int64_t number = 0;
  bool begins = false;             // ProfilerStep#k: the nodes after it belong to the iteration
  std::size_t at = 0, digits = 0;  // position of the number in the name; no digits: an attribute has it
};
// Returns the mark in a name: ProfilerStep#k of PyTorch's profiler, or a name that contains "iteration k",
// "iteration_k", "Iteration #k" or similar.
[[nodiscard]] std::optional<IterationMark> iteration_in_name(std::string_view name);

}  // namespace convert
