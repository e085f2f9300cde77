// SPDX-License-Identifier: MIT
#include "profile/grammar.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace convert {
namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols expand(const Grammar& grammar, const Symbols& symbols) {
  Symbols out;
  for (const std::uint32_t s : symbols) {
    if (!grammar.is_rule(s)) {
      out.push_back(s);
      continue;
    }
    const auto [a, b] = grammar.parts(s);
    for (const std::uint32_t t : expand(grammar, {a, b})) out.push_back(t);
  }
  return out;
}

TEST(Grammar, WhatStandsOftenEnoughAsAWholeBecomesOneSymbol) {
  const Symbols song = {0, 1, 2, 3, 1, 2, 4};
  std::vector<WeightedSequence> sequences = {{song, 2}, {{0, 1, 2, 5}, 1}};
  const auto rules = replace_pairs(sequences, 10, 2);
  const Grammar grammar(10, rules);
  ASSERT_EQ(sequences[0].symbols.size(), 1U);
  EXPECT_EQ(expand(grammar, sequences[0].symbols), song);
  EXPECT_EQ(grammar.length(sequences[0].symbols[0]), 7U);
  EXPECT_EQ(expand(grammar, sequences[1].symbols), (Symbols{0, 1, 2, 5}));
  EXPECT_EQ(sequences[1].symbols.back(), 5U);  // it occurs once
}

TEST(Grammar, NoPairThatIsLeftStandsOftenEnough) {
  std::vector<WeightedSequence> sequences;
  std::uint32_t state = 1;
  for (int s = 0; s < 20; ++s) {
    WeightedSequence& sequence = sequences.emplace_back();
    for (int i = 0; i < 50; ++i) sequence.symbols.push_back((state = state * 1103515245 + 12345) >> 16U & 3U);
  }
  const std::vector<WeightedSequence> before = sequences;
  const auto rules = replace_pairs(sequences, 4, 3);
  const Grammar grammar(4, rules);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> pairs;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    EXPECT_EQ(expand(grammar, sequences[s].symbols), before[s].symbols);
    for (std::size_t i = 0; i + 1 < sequences[s].symbols.size(); ++i)
      ++pairs[{sequences[s].symbols[i], sequences[s].symbols[i + 1]}];
  }
  for (const auto& [pair, count] : pairs) {
    if (pair.first == pair.second) continue;
    EXPECT_LT(count, 3);
  }
}

TEST(Grammar, ARunOfEqualSymbolsIsTakenTwoByTwo) {
  std::vector<WeightedSequence> sequences = {{{7, 7, 7, 7, 7}, 1}};
  const auto rules = replace_pairs(sequences, 8, 2);
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0], (std::pair<std::uint32_t, std::uint32_t>(7, 7)));
  EXPECT_EQ(sequences[0].symbols, (Symbols{8, 8, 7}));
}

}  // namespace
}  // namespace convert
