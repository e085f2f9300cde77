// SPDX-License-Identifier: MIT
#include "profile/grammar.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace convert {
namespace {

constexpr unsigned half_bits = 32;
std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << half_bits) | b; }

struct CountedPair {
  std::uint64_t count;
  std::uint64_t key;
};

// Returns the pairs that occur often enough, the most frequent first. Pairs do not overlap in a run of equal
// symbols.
std::vector<CountedPair> frequent_pairs(const std::vector<WeightedSequence>& sequences, std::uint64_t least) {
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  for (const WeightedSequence& s : sequences) {
    bool last_taken = false;
    for (std::size_t i = 0; i + 1 < s.symbols.size(); ++i) {
      const bool same = s.symbols[i] == s.symbols[i + 1];
      const bool overlaps = same && last_taken && s.symbols[i - 1] == s.symbols[i];
      last_taken = !overlaps;
      if (!overlaps) counts[key_of(s.symbols[i], s.symbols[i + 1])] += s.weight;
    }
  }
  std::vector<CountedPair> out;
  for (const auto& [key, count] : counts) {
    if (count >= least) out.push_back({count, key});
  }
  std::ranges::sort(out, [](const CountedPair& a, const CountedPair& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  return out;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> replace_pairs(std::vector<WeightedSequence>& sequences,
                                                                   std::uint32_t first_rule, std::uint64_t least) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rules;
  while (true) {
    const std::vector<CountedPair> pairs = frequent_pairs(sequences, least);
    if (pairs.empty()) return rules;
    // Replaces several pairs at once if they share no symbol and are at least half as frequent as the first.
    std::unordered_map<std::uint64_t, std::uint32_t> taken;
    std::unordered_set<std::uint32_t> busy;
    for (const CountedPair& p : pairs) {
      if (2 * p.count < pairs.front().count) break;
      const auto a = static_cast<std::uint32_t>(p.key >> half_bits), b = static_cast<std::uint32_t>(p.key);
      if (busy.contains(a) || busy.contains(b)) continue;
      busy.insert(a);
      busy.insert(b);
      taken.emplace(p.key, first_rule + static_cast<std::uint32_t>(rules.size()));
      rules.emplace_back(a, b);
    }
    for (WeightedSequence& s : sequences) {
      std::size_t to = 0;
      for (std::size_t i = 0; i < s.symbols.size(); ++i) {
        const auto at = i + 1 < s.symbols.size() ? taken.find(key_of(s.symbols[i], s.symbols[i + 1])) : taken.end();
        s.symbols[to++] = at == taken.end() ? s.symbols[i] : at->second;
        if (at != taken.end()) ++i;
      }
      s.symbols.resize(to);
    }
  }
}

Grammar::Grammar(std::uint32_t terminals, std::span<const std::pair<std::uint32_t, std::uint32_t>> rules)
    : terminals_(terminals), rules_(rules.begin(), rules.end()) {
  lengths_.reserve(rules_.size());
  for (const auto& [a, b] : rules_) lengths_.push_back(length(a) + length(b));
}

}  // namespace convert
