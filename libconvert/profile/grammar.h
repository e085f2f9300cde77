// SPDX-License-Identifier: MIT
// Finds what repeats in sequences: Re-Pair (Larsson and Moffat, "Off-line dictionary-based compression", 2000),
// which replaces a pair of symbols by a new one as long as there is a pair that stands often enough.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace convert {

// A sequence of symbols that stands `weight` times.
struct WeightedSequence {
  std::vector<std::uint32_t> symbols{};
  std::uint64_t weight = 1;
};

// Replaces pairs that stand at least `least` ≥ 1 times, weights counted, the most frequent first, until there is
// none: what stays side by side stands together less often. Returns the rules: symbol first_rule + i stands for the
// i-th pair. Rules that nothing uses any more but one other are kept.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> replace_pairs(
    std::vector<WeightedSequence>& sequences, std::uint32_t first_rule, std::uint64_t least);

// Tells what the symbols of a grammar stand for.
class Grammar {
 public:
  Grammar() = default;
  Grammar(std::uint32_t terminals, std::span<const std::pair<std::uint32_t, std::uint32_t>> rules);

  [[nodiscard]] bool is_rule(std::uint32_t symbol) const { return symbol >= terminals_; }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parts(std::uint32_t symbol) const {
    return rules_[symbol - terminals_];
  }
  // Returns how many terminals a symbol stands for.
  [[nodiscard]] std::uint64_t length(std::uint32_t symbol) const {
    return is_rule(symbol) ? lengths_[symbol - terminals_] : 1;
  }
  [[nodiscard]] std::uint32_t symbols() const { return terminals_ + static_cast<std::uint32_t>(rules_.size()); }

 private:
  std::uint32_t terminals_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rules_;
  std::vector<std::uint64_t> lengths_;
};

}  // namespace convert
