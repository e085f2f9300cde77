// SPDX-License-Identifier: MIT
// Alignment of two sequences of tokens: which elements of one are those of the other, in order. All of it takes
// near-linear time, whatever the sequences are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convert {

using Tokens = std::span<const std::uint32_t>;

// Positions of equal tokens.
struct TokenPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const TokenPair&, const TokenPair&) = default;
};

// Pairs that ascend on both sides. Of two sequences that differ in few places it is an alignment with the most
// pairs, else a good one; where several are equally good, the one that pairs early tokens.
[[nodiscard]] std::vector<TokenPair> align(Tokens a, Tokens b);

// Where one sequence lies in the other, if one of them is a part of the other or they overlap.
struct Place {
  std::vector<TokenPair> pairs;  // some that show it, ascending on both sides; none: nothing is alike
  std::size_t alike = 0;         // places where it lies equally well; the first of them is taken
};
[[nodiscard]] Place find_place(Tokens a, Tokens b);

// Positions of a longest strictly ascending part of `values`.
[[nodiscard]] std::vector<std::uint32_t> longest_ascending(std::span<const std::uint32_t> values);

}  // namespace convert
