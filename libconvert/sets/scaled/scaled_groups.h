// SPDX-License-Identifier: MIT
// Process groups of a set that is grown along one dimension of its ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/groups.h"
#include "passes/scale/scale.h"

namespace convert {

class ScaledGroups {
 public:
  // A group grows if its ranks are spread evenly over the whole dimension, as for gradients; so does the group of
  // all ranks. Other groups, and groups in `all_to_all` (by name), are copied for each copy of their ranks. Ids 1,
  // 2, … remain consecutive: adjacent similar groups stay together, in the order of their first ranks. Other ids
  // are kept, and new ids follow the highest. Throws Error(input) [scale] if there are not enough ids.
  ScaledGroups(const std::string& set, std::vector<CommGroup> groups, const RankGrid& grid, Rank ranks);

  // Returns the original groups by pg_name; "" is the group of all ranks.
  [[nodiscard]] const std::map<std::string, ScaledGroup, std::less<>>& before() const { return before_; }
  [[nodiscard]] const std::vector<CommGroup>& after() const { return after_; }
  // Returns the name of a group in a copy.
  [[nodiscard]] std::string name(std::string_view group, std::uint64_t copy) const;

 private:
  struct Source {
    std::size_t group;   // index in groups_
    std::uint64_t copy;  // 0 for groups that grow
    std::vector<Rank> ranks;
  };
  [[nodiscard]] bool spread(const CommGroup& group) const;
  [[nodiscard]] bool alike(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool numbered_through() const;
  void add_copies(std::size_t group, std::vector<Source>& to) const;
  void number_anew();
  void number(const std::vector<Source>& kind, std::int64_t& next);
  void number_others(const std::string& set);

  std::vector<CommGroup> groups_;  // ascending by id
  RankGrid grid_;
  std::vector<bool> grows_;  // by group
  std::map<std::string, ScaledGroup, std::less<>> before_;
  std::vector<CommGroup> after_;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> ids_;  // by name: ids of the copies
};

}  // namespace convert
