// SPDX-License-Identifier: MIT
// Repetitions in sequences: Re-Pair (Larsson and Moffat, "Off-line dictionary-based compression", 2000). It
// replaces the most frequent pair of symbols by a new symbol while a pair is frequent enough.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace convert {

// A sequence of symbols that occurs `weight` times.
struct WeightedSequence {
  std::vector<std::uint32_t> symbols{};
  std::uint64_t weight = 1;
};

// Replaces pairs with at least `least` ≥ 1 occurrences (weights counted), the most frequent first, until no such
// pair is left. Returns the rules: symbol first_rule + i is the i-th pair. Rules that only another rule uses are
// kept.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> replace_pairs(
    std::vector<WeightedSequence>& sequences, std::uint32_t first_rule, std::uint64_t least);

// Expansion of the symbols of a grammar.
class Grammar {
 public:
  Grammar() = default;
  Grammar(std::uint32_t terminals, std::span<const std::pair<std::uint32_t, std::uint32_t>> rules);

  [[nodiscard]] bool is_rule(std::uint32_t symbol) const { return symbol >= terminals_; }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parts(std::uint32_t symbol) const {
    return rules_[symbol - terminals_];
  }
  // Returns the number of terminals of a symbol.
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
