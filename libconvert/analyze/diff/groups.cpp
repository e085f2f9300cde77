// SPDX-License-Identifier: MIT
#include "analyze/diff/groups.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

using Members = std::vector<Rank>;

// Returns the members of a group of A in rank numbers of B.
Members in_b(Members members, const DiffWishes& wishes) {
  if (wishes.ranks.empty()) return members;
  for (Rank& rank : members) rank = wishes.in_b(rank);
  return members;
}

// Returns whether a group of A equals a group of B; `called` is the group of A in rank numbers of B. If both sides
// list their members in ascending order and ranks are renumbered, the order is not significant.
bool same_members(const Members& a, Members called, const Members& b, const DiffWishes& wishes) {
  if (called == b) return true;
  if (wishes.ranks.empty() || !std::ranges::is_sorted(a) || !std::ranges::is_sorted(b)) return false;
  std::ranges::sort(called);
  return called == b;
}

// Returns "[0,1]", as in group files.
std::string members_text(const Members* members) {
  if (members == nullptr) return "(none)";
  std::string out = "[";
  for (const Rank rank : *members) out += (out.size() == 1 ? "" : ",") + std::to_string(rank);
  return out + ']';
}

// Removes group 0 if it equals its default: all ranks in ascending order.
void remove_default(SetGroups& set) {
  const auto zero = set.groups.find(0);
  if (zero == set.groups.end() || zero->second.size() != set.ranks) return;
  for (std::size_t i = 0; i < zero->second.size(); ++i) {
    if (zero->second[i] != i) return;
  }
  set.groups.erase(zero);
}

}  // namespace

std::map<std::string, std::string, std::less<>> groups_in_b(const SetGroups& a, const SetGroups& b,
                                                            const DiffWishes& wishes) {
  std::map<std::string, std::string, std::less<>> out;
  if (wishes.ranks.empty()) return out;
  std::map<Members, std::vector<std::int64_t>> of_members;  // ids in descending order
  for (const auto& [id, members] : std::views::reverse(b.groups)) {
    if (id != 0) of_members[members].push_back(id);  // 0 is all ranks on both sides
  }
  std::set<std::int64_t> taken;
  const auto find = [&](std::int64_t id, const Members& members) {
    const auto at = of_members.find(members);
    if (at == of_members.end() || at->second.empty()) return;
    taken.insert(at->second.back());
    out.emplace(std::to_string(id), std::to_string(at->second.back()));
    at->second.pop_back();
  };
  for (const auto& [id, members] : a.groups) {
    if (id != 0) find(id, in_b(members, wishes));
  }
  for (const auto& [id, members] : a.groups) {
    if (id == 0 || out.contains(std::to_string(id)) || !std::ranges::is_sorted(members)) continue;
    Members sorted = in_b(members, wishes);
    std::ranges::sort(sorted);
    find(id, sorted);
  }
  for (const auto& [id, members] : a.groups) {
    const std::string name = std::to_string(id);
    if (!out.contains(name) && taken.contains(id)) out.emplace(name, name + " of A");
  }
  return out;
}

void compare_groups(SetGroups a, SetGroups b, const DiffWishes& wishes, Difference& to) {
  remove_default(a);
  remove_default(b);
  std::map<std::int64_t, Members>& left_b = b.groups;
  for (const auto& [id, members] : a.groups) {
    const auto its_id = parse_plain(wishes.group_in_b(std::to_string(id)), INT64_MAX);
    const auto at = its_id ? left_b.find(static_cast<std::int64_t>(*its_id)) : left_b.end();
    const Members* const other = at == left_b.end() ? nullptr : &at->second;
    if (other == nullptr) ++to.groups_only_a;
    const Members called = in_b(members, wishes);
    if (other == nullptr || !same_members(members, called, *other, wishes))
      to.groups.add({id, members_text(&called), members_text(other)});
    if (other != nullptr) left_b.erase(at);
  }
  for (const auto& [id, members] : left_b) {
    ++to.groups_only_b;
    to.groups.add({id, "(none)", members_text(&members)});
  }
}

}  // namespace convert
