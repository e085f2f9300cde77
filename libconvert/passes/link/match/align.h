// SPDX-License-Identifier: MIT
// Aligns two sequences of tokens: finds equal elements in the same order. Takes near-linear time for all inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convert {

using Tokens = std::span<const std::uint32_t>;

// The positions of two equal tokens.
struct TokenPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend bool operator==(const TokenPair&, const TokenPair&) = default;
};

// Returns pairs that ascend on both sides: as many as possible if the sequences differ in few places, else many.
// Prefers pairs of early tokens.
[[nodiscard]] std::vector<TokenPair> align(Tokens a, Tokens b);

// Position of one sequence in the other, or their overlap.
struct Alignment {
  std::vector<TokenPair> pairs;  // some pairs, ascending on both sides; empty: no such place
  std::size_t alike = 0;         // number of places that fit equally well; the pairs belong to the first
};
// Returns the place in `b` that contains the most of up to 128 runs of 16 tokens of `a`; of 4 tokens, or of one, if
// `b` contains no run of 16.
[[nodiscard]] Alignment find_place(Tokens a, Tokens b);

// Returns the positions of a longest strictly ascending subsequence of `values`.
[[nodiscard]] std::vector<std::uint32_t> longest_ascending(std::span<const std::uint32_t> values);

}  // namespace convert
