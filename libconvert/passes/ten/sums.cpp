// SPDX-License-Identifier: MIT
#include "passes/ten/sums.h"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace convert {
namespace {

// Writes "0-3,7"; only the first runs if there are many.
class RunText {
 public:
  [[nodiscard]] bool full() const { return runs_ > most; }
  void add(std::uint32_t first, std::uint32_t last) {
    if (++runs_ > most) {
      text_ += runs_ == most + 1 ? ",…" : "";
      return;
    }
    text_ += (text_.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text_ += "-" + std::to_string(last);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t most = 8;
  std::string text_;
  std::size_t runs_ = 0;
};

std::string runs_text(std::span<const std::uint32_t> nodes) {
  RunText out;
  for (std::size_t i = 0; i < nodes.size() && !out.full();) {
    std::size_t last = i;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    out.add(nodes[i], nodes[last]);
    i = last + 1;
  }
  return out.text();
}

// Stops early, without listing all nodes of "all": there may be a million, for each of many chunks.
std::string runs_text(const Schedule& s, const Schedule::NodeSet& set) {
  if (!set.all) return runs_text(listed(s, set));
  RunText out;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i <= s.relays.size() && !out.full(); ++i) {
    const std::uint32_t end = i < s.relays.size() ? s.relays[i] : s.nodes;
    if (end > first) out.add(first, end - 1);
    first = end + 1;
  }
  return out.text();
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
  std::ranges::sort(nodes);
  return false;
}

std::string Sums::difference(Id sum, const Schedule::NodeSet& wanted) const {
  std::vector<std::uint32_t> held;
  std::uint32_t twice = 0;
  if (collect(sum, held, twice)) return "holds the contribution of node " + std::to_string(twice) + " twice";
  if (held.size() == size_of(s_, wanted) &&
      std::ranges::all_of(held, [&](std::uint32_t n) { return contains(s_, wanted, n); })) {
    return {};
  }
  return "holds the contributions of nodes " + runs_text(held) + ", not " + runs_text(s_, wanted);
}

}  // namespace convert
