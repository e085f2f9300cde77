// SPDX-License-Identifier: MIT
// Titles of the process groups of a run. Equivalent groups share a title: groups of one name and size or, without a
// name, groups of one size with the same sequence of calls (operations and sizes).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/run.h"

namespace convert {

class GroupTitles {
 public:
  explicit GroupTitles(const Run& run);

  // Returns the lowest id among the groups equivalent to a group, itself included.
  [[nodiscard]] std::int64_t representative(std::int64_t group) const;
  // Returns the number of equivalent groups, itself included.
  [[nodiscard]] std::size_t alike(std::int64_t group) const;
  // Returns the title of a group and its equivalents: "(all ranks)", "tp (16 groups)", "3 (+ 7 like it)".
  [[nodiscard]] std::string title(std::int64_t group) const;
  // Returns the title of the group alone: "(all ranks)", "tp (group 3)", "3".
  [[nodiscard]] std::string title_alone(std::int64_t group) const;
  // Returns the groups that have calls, ascending.
  [[nodiscard]] std::vector<std::int64_t> groups() const;

 private:
  struct Group {
    std::string name{};
    std::int64_t representative = 0;
    std::size_t alike = 1;  // number of groups, for the representative
  };
  std::map<std::int64_t, Group> groups_;  // by id
};

}  // namespace convert
