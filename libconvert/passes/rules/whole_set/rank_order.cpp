// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/rank_order.h"

#include <algorithm>
#include <queue>
#include <span>

namespace convert::rules {
namespace {

// Returns all nodes, parents before children.
std::vector<std::uint32_t> nodes_in_order(const TraceSummary& rank) {
  std::vector<std::uint32_t> open(rank.size);
  for (const std::uint32_t child : rank.children) ++open[child];
  std::vector<std::uint32_t> order;
  order.reserve(rank.size);
  for (std::uint32_t i = 0; i < rank.size; ++i) {
    if (open[i] == 0) order.push_back(i);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t child : rank.children_of(order[i])) {
      if (--open[child] == 0) order.push_back(child);
    }
  }
  return order;
}

class Questions {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  Questions(const TraceSummary& rank, const std::vector<Pair>& pairs)
      : rank_(rank), pairs_(pairs), order_(nodes_in_order(rank)), place_(rank.size), known_(rank.size) {
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  std::vector<bool> answer() {
    std::vector<bool> answers(pairs_.size());
    std::vector<std::uint32_t> open;
    for (std::uint32_t q = 0; q < pairs_.size(); ++q) {
      const auto [first, second] = pairs_[q];
      const auto children = rank_.children_of(first);
      answers[q] = std::ranges::binary_search(children, second);
      if (!answers[q] && place_[first] < place_[second]) open.push_back(q);
    }
    std::ranges::sort(open, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(place_[pairs_[a].first], a) < std::pair(place_[pairs_[b].first], b);
    });
    constexpr std::size_t at_once = 64;
    for (std::size_t i = 0; i < open.size(); i += at_once)
      walk(std::span(open).subspan(i, std::min(at_once, open.size() - i)), answers);
    return answers;
  }

 private:
  // Answers up to 64 questions. Bit q of known_: the node is, or depends on, the first node of question q.
  void walk(std::span<const std::uint32_t> questions, std::vector<bool>& answers) {
    std::uint32_t last = 0;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const Pair pair = pairs_[questions[q]];
      known_[pair.first] |= std::uint64_t{1} << q;
      last = std::max(last, place_[pair.second]);
    }
    const std::uint32_t begin = place_[pairs_[questions.front()].first];
    for (std::uint32_t i = begin; i < last; ++i) {
      const std::uint64_t known = known_[order_[i]];
      if (known == 0) continue;
      for (const std::uint32_t child : rank_.children_of(order_[i])) {
        if (place_[child] <= last) known_[child] |= known;
      }
    }
    for (std::size_t q = 0; q < questions.size(); ++q)
      answers[questions[q]] = (known_[pairs_[questions[q]].second] >> q & 1U) != 0;
    for (std::uint32_t i = begin; i <= last; ++i) known_[order_[i]] = 0;
  }

  const TraceSummary& rank_;
  const std::vector<Pair>& pairs_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> place_;  // by node, in order_
  std::vector<std::uint64_t> known_;
};

}  // namespace

std::vector<bool> depend_on(const TraceSummary& rank,
                            const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  return pairs.empty() ? std::vector<bool>() : Questions(rank, pairs).answer();
}

void sort_by_issue(const TraceSummary& s, std::vector<std::uint32_t>& nodes) {
  bool by_id = true;  // as in most traces: parents have lower ids
  std::vector<std::uint32_t> open(s.size);
  for (std::uint32_t i = 0; i < s.size; ++i) {
    for (const std::uint32_t child : s.children_of(i)) {
      by_id = by_id && s.id(i) < s.id(child);
      ++open[child];
    }
  }
  if (by_id) {
    std::ranges::sort(nodes, [&](std::uint32_t a, std::uint32_t b) { return s.id(a) < s.id(b); });
    return;
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return s.id(a) > s.id(b); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready(later);
  std::vector<std::uint32_t> turn(s.size);
  for (std::uint32_t i = 0; i < s.size; ++i) {
    if (open[i] == 0) ready.push(i);
  }
  for (std::uint32_t number = 0; !ready.empty(); ++number) {
    const std::uint32_t at = ready.top();
    ready.pop();
    turn[at] = number;
    for (const std::uint32_t child : s.children_of(at)) {
      if (--open[child] == 0) ready.push(child);
    }
  }
  std::ranges::sort(nodes, [&](std::uint32_t a, std::uint32_t b) { return turn[a] < turn[b]; });
}

}  // namespace convert::rules
