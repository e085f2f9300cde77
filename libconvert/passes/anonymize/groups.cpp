// SPDX-License-Identifier: MIT
#include "passes/anonymize/groups.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

// A group as it is compared. Old names that are numbers compare by value.
struct Ordered {
  std::vector<Rank> sorted;
  std::uint64_t number = 0;
  UsedGroup group;
};

Ordered ordered(UsedGroup&& group) {
  Ordered out;
  out.sorted = group.ranks;
  std::ranges::sort(out.sorted);
  out.number = parse_plain(group.name, UINT64_MAX).value_or(UINT64_MAX);
  out.group = std::move(group);
  return out;
}

bool comes_first(const Ordered& a, const Ordered& b) {
  return std::tie(a.sorted, a.group.ranks, a.number, a.group.name) <
         std::tie(b.sorted, b.group.ranks, b.number, b.group.name);
}

}  // namespace

GroupNumbers::GroupNumbers(std::vector<UsedGroup> groups) {
  std::vector<Ordered> order;
  for (UsedGroup& g : groups) order.push_back(ordered(std::move(g)));
  std::ranges::sort(order, comes_first);
  std::uint64_t number = 0;
  for (const Ordered& o : order) {
    if (o.group.name.empty() || o.group.name == "0" || names_.contains(o.group.name)) continue;
    names_.emplace(o.group.name, std::to_string(++number));
  }
}

const std::string& GroupNumbers::name(const std::string& before) const {
  if (before.empty() || before == "0") return before;
  const auto at = names_.find(before);
  if (at == names_.end())
    throw input_error({},
                      "the input has an unexpected process group; check that it does not change while it is read");
  return at->second;
}

}  // namespace convert
