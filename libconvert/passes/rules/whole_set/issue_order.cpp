// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/issue_order.h"

#include <algorithm>
#include <queue>

namespace convert::rules {

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
