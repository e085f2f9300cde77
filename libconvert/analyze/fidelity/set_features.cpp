// SPDX-License-Identifier: MIT
#include "analyze/fidelity/set_features.h"

#include <functional>
#include <string_view>
#include <utility>

namespace convert {
namespace {

bool is_all(const std::vector<Rank>& ranks, Rank world) {
  if (ranks.size() != world) return false;
  for (Rank r = 0; r < world; ++r) {
    if (ranks[r] != r) return false;
  }
  return true;
}

// Returns the text of a group's role; empty for the group of all ranks.
std::string role_text(const std::string& name, const GroupRanks& groups, Rank world) {
  const auto found = groups.find(name);
  if (found == groups.end() || found->second.empty()) return name;
  const std::vector<Rank>& ranks = found->second;
  if (is_all(ranks, world)) return {};
  std::string role = "\n";  // no name begins so
  for (const Rank r : ranks) role += std::to_string(std::int64_t{r} - ranks.front()) + ',';
  return role;
}

class Roles {
 public:
  Roles(const GroupRanks& groups, Rank world) : groups_(groups), world_(world) {}

  // Returns the number of a group's role; 0: all ranks. `group` is a name and, after a line break, network
  // dimensions.
  std::uint64_t number(const std::string& group) {
    const auto [at, is_new] = known_.try_emplace(group, 0);
    if (!is_new) return at->second;
    const std::size_t end = std::min(group.find('\n'), group.size());
    const std::string text = role_text(group.substr(0, end), groups_, world_) + group.substr(end);
    if (!text.empty()) at->second = std::hash<std::string>()(text) | 1;
    return at->second;
  }

 private:
  const GroupRanks& groups_;
  Rank world_;
  std::map<std::string, std::uint64_t> known_;
};

ClassCounts with_roles(const ClassCounts& counts, const std::vector<std::uint64_t>& roles, Rank world) {
  ClassCounts out;
  for (const auto& [key, times] : counts) {
    NodeClass c = key;
    if (c.group != 0) c.group = roles[c.group - 1];
    const auto n = static_cast<std::int64_t>(world);
    if (c.peer < 0 && c.peer > -n) c.peer += n;
    out[c] += times;
  }
  return out;
}

}  // namespace

SetFeatures set_features(std::vector<RankFeatures>&& ranks, const GroupRanks& groups, Rank world) {
  SetFeatures out{.ranks = std::move(ranks)};
  Roles roles(groups, world);
  for (RankFeatures& rank : out.ranks) {
    std::vector<std::uint64_t> of_rank;
    for (const std::string& group : rank.groups) of_rank.push_back(roles.number(group));
    rank.classes = with_roles(rank.classes, of_rank, world);
    rank.numbered_classes = with_roles(rank.numbered_classes, of_rank, world);
    out.all.add(rank);
  }
  return out;
}

}  // namespace convert
