// SPDX-License-Identifier: MIT
#include "passes/ten/sums.h"

#include <algorithm>
#include <unordered_set>

namespace convert {
namespace {

// "0-3,7"
std::string runs_text(const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t most = 8;
  std::string out;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t last = i;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    if (++runs > most) return out + ",…";
    out += (out.empty() ? "" : ",") + std::to_string(nodes[i]);
    if (last > i) out += "-" + std::to_string(nodes[last]);
    i = last + 1;
  }
  return out;
}

std::vector<std::uint32_t> nodes_of(const Schedule& s, const Schedule::NodeSet& set) {
  if (!set.all) {
    const auto nodes = listed(s, set);
    return {nodes.begin(), nodes.end()};
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t n = 0; n < s.nodes; ++n) {
    if (!is_relay(s, n)) out.push_back(n);
  }
  return out;
}

}  // namespace

bool Sums::collect(Id sum, std::vector<std::uint32_t>& nodes, std::uint32_t& twice) const {
  std::unordered_set<std::uint32_t> seen;
  std::vector<Id> open{sum};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (id >= s_.nodes) {
      open.push_back(pairs_[id - s_.nodes].first);
      open.push_back(pairs_[id - s_.nodes].second);
    } else if (seen.insert(id).second) {
      nodes.push_back(id);
    } else {
      twice = id;
      return true;
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return false;
}

std::string Sums::difference(Id sum, const Schedule::NodeSet& wanted) const {
  std::vector<std::uint32_t> held;
  std::uint32_t twice = 0;
  if (collect(sum, held, twice)) return "holds the contribution of node " + std::to_string(twice) + " twice";
  if (held.size() == size_of(s_, wanted) &&
      std::all_of(held.begin(), held.end(), [&](std::uint32_t n) { return contains(s_, wanted, n); })) {
    return {};
  }
  return "holds the contributions of nodes " + runs_text(held) + ", not " + runs_text(nodes_of(s_, wanted));
}

}  // namespace convert
