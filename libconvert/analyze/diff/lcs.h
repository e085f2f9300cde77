// SPDX-License-Identifier: MIT
// Longest common subsequence of two sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace convert {

// Number of elements of each sequence that are compared at once.
inline constexpr std::size_t lcs_window = 10'000;

// Calls pair(i, j) for the elements a[i] = b[j] of a longest common subsequence, in ascending order. Longer
// sequences are processed in pairs of windows, so that the result may be shorter than optimal. Each window begins
// after the last pair found, and at least half a window after the previous window. Memory is linear; time is window
// / 64 steps per element.
void for_each_common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                     const std::function<void(std::size_t i, std::size_t j)>& pair);

}  // namespace convert
