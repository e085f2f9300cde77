// SPDX-License-Identifier: MIT
// Renumbers the process groups of a set.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// A group as nodes name it (pg_name). Its ranks come from the groups file, or are the ranks that use the group if
// the file does not list it.
struct UsedGroup {
  std::string name;
  std::vector<Rank> ranks{};
};

class GroupNumbers {
 public:
  GroupNumbers() = default;
  // Numbers groups from 1, in order of their smallest member, then of all members, then of their old names.
  explicit GroupNumbers(std::vector<UsedGroup> groups);

  // Returns the new name. "", "0" and the name of the group of all ranks stay. Throws Error(input) if the group was
  // not passed to the constructor.
  [[nodiscard]] const std::string& name(const std::string& before) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace convert
