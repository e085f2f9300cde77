// SPDX-License-Identifier: MIT
// Aligns two sequences of tokens: finds which elements of one are those of the other, in order. Takes near-linear
// time, whatever the sequences are.
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

// Holds where one sequence lies in the other, or overlaps with it.
struct Alignment {
  std::vector<TokenPair> pairs;  // some, ascending on both sides; empty: there is no such place
  std::size_t alike = 0;         // how many places fit equally well; the pairs are of the first
};
// Returns the place at which most of up to 128 runs of 16 tokens of `a` stand in `b`; of 4 tokens, or of one, if
// no run of 16 does.
[[nodiscard]] Alignment find_place(Tokens a, Tokens b);

// Returns the positions of a longest strictly ascending subsequence of `values`.
[[nodiscard]] std::vector<std::uint32_t> longest_ascending(std::span<const std::uint32_t> values);

}  // namespace convert
