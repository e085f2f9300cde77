// SPDX-License-Identifier: MIT
// Makes the process groups of a set that is grown along one dimension of its ranks.
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
  // A group grows if its ranks are spread evenly over the whole dimension, as those of gradients are, and the group
  // of all ranks does; any other, and those in `all_to_all` (by name), is there again for each copy. Ids that are
  // 1, 2, … stay so: groups that follow each other and are alike stay together, in the order of their first ranks.
  // Other ids stay, and new ones follow the highest. Throws Error(input) [scale] if ids do not suffice.
  ScaledGroups(const std::string& set, std::vector<CommGroup> groups, const RankGrid& grid, Rank ranks);

  // Returns the groups before, by pg_name; "" is that of all ranks.
  [[nodiscard]] const std::map<std::string, ScaledGroup, std::less<>>& before() const { return before_; }
  [[nodiscard]] const std::vector<CommGroup>& after() const { return after_; }
  // Returns the name that a group has in a copy.
  [[nodiscard]] std::string name(std::string_view group, std::uint64_t copy) const;

 private:
  struct Source {
    std::size_t group;   // in groups_
    std::uint64_t copy;  // 0 of groups that grow
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
  std::map<std::string, std::vector<std::int64_t>, std::less<>> ids_;  // by name: of each copy
};

}  // namespace convert
