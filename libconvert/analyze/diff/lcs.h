// SPDX-License-Identifier: MIT
// Finds what two sequences have in common, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace convert {

// Elements of each sequence that are looked at together.
inline constexpr std::size_t lcs_window = 10'000;

// Calls pair(i, j) for the elements a[i] = b[j] of a longest common subsequence, ascending. Beyond the window it is
// one of each pair of windows, which move on behind what was found, by half of a window at least. Memory is linear;
// time is that of window / 64 steps for each element.
void for_each_common(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                     const std::function<void(std::size_t i, std::size_t j)>& pair);

}  // namespace convert
