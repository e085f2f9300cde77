// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/collective_groups.h"

#include <algorithm>
#include <map>

#include "util/utf8.h"

namespace convert::rules {
namespace {

// Orders numbers by value, before all other names.
struct NumbersFirst {
  static bool is_number(const std::string& s) {
    return std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
  }
  bool operator()(const std::string& a, const std::string& b) const {
    const bool a_number = is_number(a);
    if (a_number != is_number(b)) return a_number;
    if (a_number && a.size() != b.size()) return a.size() < b.size();
    return a < b;
  }
};

using Users = std::vector<CollectiveGroup::Member>;

CollectiveGroup make_group(const std::string& name, const Users& users, std::size_t ranks, std::size_t world,
                           const GroupLists* lists) {
  CollectiveGroup g{.name = name};
  if (name.empty()) {
    constexpr std::size_t most_missing = 1 << 20;  // a world size is only a claim, and members take memory
    const std::size_t used = users.back().rank + std::size_t{1};  // more than `ranks` if the set is a single rank
    const std::size_t all = std::max({ranks, used, std::min(world, ranks + most_missing)});
    for (Rank r = 0; r < all; ++r) g.members.push_back({r, nullptr});
    for (const auto& u : users) g.members[u.rank].use = u.use;
    return g;
  }
  const auto list = lists == nullptr ? GroupLists::const_iterator() : lists->find(name);
  if (lists == nullptr || list == lists->end()) {
    g.members = users;
    return g;
  }
  g.listed = true;
  std::vector<bool> is_member(users.size());
  for (const Rank r : list->second) {
    const auto user = std::ranges::lower_bound(users, r, {}, &CollectiveGroup::Member::rank);
    const bool uses = user != users.end() && user->rank == r;
    g.members.push_back({r, uses ? user->use : nullptr});
    if (uses) is_member[static_cast<std::size_t>(user - users.begin())] = true;
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (!is_member[i]) g.outsiders.push_back(users[i]);
  }
  return g;
}

}  // namespace

std::vector<CollectiveGroup> collective_groups(std::span<const TraceSummary> set, const GroupLists* lists,
                                               std::size_t world) {
  std::map<std::string, Users, NumbersFirst> users;
  for (const TraceSummary& s : set) {
    for (const GroupUse& use : s.collectives) users[use.group].push_back({s.rank, &use});
  }
  std::vector<CollectiveGroup> groups;
  groups.reserve(users.size());
  for (const auto& [name, its_users] : users)
    groups.push_back(make_group(name, its_users, set.size(), world, lists));
  return groups;
}

std::string group_text(const std::string& name) {
  constexpr std::size_t max_shown = 40;
  if (name.empty()) return "all ranks";
  const std::string shown = cut_text(name, max_shown);
  return is_readable(shown) ? "group " + shown : "a group with an unreadable name";
}

bool same_type(const CollectiveNode& a, const CollectiveNode& b) {
  const auto plain = [](const CollectiveNode& c) {
    const bool block = c.type == static_cast<std::uint32_t>(Collective::reduce_scatter_block);
    return block ? static_cast<std::uint32_t>(Collective::reduce_scatter) : std::uint32_t{c.type};
  };
  return a.type == CollectiveNode::unknown_type || b.type == CollectiveNode::unknown_type || plain(a) == plain(b);
}

std::int64_t common_size(const GroupUse& use, std::size_t call, std::size_t ranks) {
  const CollectiveNode& c = use.calls[call];
  const CollectiveDetails d =
      c.has_details != 0 ? use.details_of(static_cast<std::uint32_t>(call)) : CollectiveDetails{};
  std::int64_t all = 0;
  switch (collective_of(c.type)) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return c.size;
    case Collective::all_to_all: return d.send_splits.count == 0 && d.recv_splits.count == 0 ? c.size : -1;
    case Collective::all_gather:
      if (d.bytes_out < 0) return c.size;
      return !__builtin_mul_overflow(c.size, ranks, &all) && all == d.bytes_out ? c.size : -1;
    default: return -1;  // shards may differ
  }
}

}  // namespace convert::rules
