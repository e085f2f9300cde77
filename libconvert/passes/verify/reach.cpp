// SPDX-License-Identifier: MIT
#include "passes/verify/reach.h"

#include <algorithm>

namespace convert {

Reachability::Reachability(const Program& p) : best_(p.chains.size(), no_index), chain_of_(p.step_count()) {
  for (std::uint32_t c = 0; c < p.chains.size(); ++c) {
    for (std::uint32_t s = p.chains[c].first; s < p.chains[c].first + p.chains[c].count; ++s) chain_of_[s] = c;
  }
  for (std::uint32_t s = 0; s < p.step_count(); ++s) {
    for (const Dependency& d : p.deps_of(s)) {
      if (d.step != no_index) edges_.push_back({d.step, s});
    }
  }
  for (const Connection& c : p.connections) {
    for (std::uint32_t k = 0; k < std::min(c.sends, c.recvs); ++k) {
      edges_.push_back({p.send_steps[c.send_begin + k], p.recv_steps[c.recv_begin + k]});
    }
  }
  std::sort(edges_.begin(), edges_.end(),
            [](const Out& a, const Out& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  std::uint32_t e = 0;
  for (const Chain& c : p.chains) {
    while (e < edges_.size() && edges_[e].from < c.first) ++e;
    chain_begin_.push_back(e);
  }
  chain_begin_.push_back(static_cast<std::uint32_t>(edges_.size()));
}

bool Reachability::ordered(std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t c : touched_) best_[c] = no_index;
  touched_.clear();
  const std::uint32_t goal = chain_of_[to];
  std::vector<std::uint32_t> stack{from};
  while (!stack.empty()) {
    const std::uint32_t s = stack.back();
    stack.pop_back();
    const std::uint32_t c = chain_of_[s];
    const std::uint32_t seen = best_[c];
    if (seen <= s) continue;
    if (seen == no_index) touched_.push_back(c);
    best_[c] = s;
    if (c == goal && s <= to) return true;
    // Edges that leave this chain between here and what an earlier visit has already covered.
    auto e = std::lower_bound(edges_.begin() + chain_begin_[c], edges_.begin() + chain_begin_[c + 1], s,
                              [](const Out& x, std::uint32_t step) { return x.from < step; });
    for (; e != edges_.begin() + chain_begin_[c + 1] && e->from < seen; ++e) stack.push_back(e->to);
  }
  return false;
}

}  // namespace convert
