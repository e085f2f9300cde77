// SPDX-License-Identifier: MIT
#include "sets/scaled/scaled_groups.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/diagnostic.h"

namespace convert {

ScaledGroups::ScaledGroups(const std::string& set, std::vector<CommGroup> groups, const RankGrid& grid, Rank ranks)
    : groups_(std::move(groups)), grid_(grid) {
  std::ranges::sort(groups_, {}, &CommGroup::id);
  before_[""] = {.ranks = ranks, .grows = true};
  for (const CommGroup& g : groups_) {
    const std::string name = std::to_string(g.id);
    grows_.push_back(spread(g));
    before_[g.id == 0 ? "" : name] = {.ranks = g.ranks.size(), .grows = grows_.back()};
  }
  numbered_through() ? number_anew() : number_others(set);
}

bool ScaledGroups::spread(const CommGroup& group) const {
  std::set<std::uint64_t> places;
  for (const Rank r : group.ranks) places.insert(grid_.x(r));
  const std::uint64_t step = grid_.count / std::max<std::size_t>(places.size(), 1);
  if (places.size() < 2 || step * places.size() != grid_.count || *places.begin() >= step) return false;
  std::uint64_t expected = *places.begin();
  return std::ranges::all_of(places,
                             [&](std::uint64_t x) { return x == std::exchange(expected, expected + step); });
}

// Returns whether two groups are similar: equal distances between ranks, the second starting after the first.
bool ScaledGroups::alike(std::size_t a, std::size_t b) const {
  const std::vector<Rank>&x = groups_[a].ranks, &y = groups_[b].ranks;
  if (grows_[a] != grows_[b] || x.size() != y.size() || x.empty() || y.front() <= x.front()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] - x.front() != y[i] - y.front()) return false;
  }
  return true;
}

bool ScaledGroups::numbered_through() const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].id != static_cast<std::int64_t>(g) + 1) return false;
  }
  return true;
}

void ScaledGroups::add_copies(std::size_t group, std::vector<Source>& to) const {
  const std::vector<Rank>& old = groups_[group].ranks;
  if (grows_[group]) to.push_back({.group = group, .copy = 0, .ranks = {}});
  for (std::uint64_t copy = 0; copy < grid_.factor; ++copy) {
    if (!grows_[group]) to.push_back({.group = group, .copy = copy, .ranks = {}});
    for (const Rank r : old) to.back().ranks.push_back(grid_.grown(r, copy));
  }
  if (grows_[group] && std::ranges::is_sorted(old)) std::ranges::sort(to.back().ranks);
}

void ScaledGroups::number_anew() {
  std::int64_t next = 1;
  std::vector<Source> kind;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (g > 0 && !alike(g - 1, g)) number(std::exchange(kind, {}), next);
    add_copies(g, kind);
  }
  number(kind, next);
}

void ScaledGroups::number(const std::vector<Source>& kind, std::int64_t& next) {
  std::vector<const Source*> order;
  for (const Source& s : kind) order.push_back(&s);
  std::ranges::stable_sort(order, {}, [](const Source* s) { return s->ranks.empty() ? 0 : s->ranks.front(); });
  for (const Source* s : order) {
    auto& ids = ids_[std::to_string(groups_[s->group].id)];
    ids.resize(grows_[s->group] ? 1 : grid_.factor);
    ids[s->copy] = next;
    after_.push_back({.id = next++, .ranks = s->ranks});
  }
}

void ScaledGroups::number_others(const std::string& set) {
  std::int64_t next = groups_.back().id;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<Source> copies;
    add_copies(g, copies);
    auto& ids = ids_[std::to_string(groups_[g].id)];
    for (Source& s : copies) {
      if (s.copy != 0 && next == std::numeric_limits<std::int64_t>::max())
        throw input_error({.file = set}, "there are no ids for more groups after " + std::to_string(next), "scale");
      ids.push_back(s.copy == 0 ? groups_[g].id : ++next);
      after_.push_back({.id = ids.back(), .ranks = std::move(s.ranks)});
    }
  }
  std::ranges::sort(after_, {}, &CommGroup::id);
}

std::string ScaledGroups::name(std::string_view group, std::uint64_t copy) const {
  const auto at = ids_.find(group);
  if (at == ids_.end()) return std::string(group);
  return std::to_string(at->second[at->second.size() == 1 ? 0 : copy]);
}

}  // namespace convert
