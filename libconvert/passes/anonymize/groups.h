// SPDX-License-Identifier: MIT
// Numbers the process groups of a set anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// A group as nodes name it (pg_name), with the ranks that the groups file lists or, where it lists none, those that
// use it.
struct UsedGroup {
  std::string name;
  std::vector<Rank> ranks{};
};

class GroupNumbers {
 public:
  GroupNumbers() = default;
  // Numbers them from 1 on in the order of their smallest member, then of all members, then of their old names.
  explicit GroupNumbers(std::vector<UsedGroup> groups);

  // Returns the new name; that of all ranks, "0" or none, stays. Throws Error(input) for one that was not among
  // them.
  [[nodiscard]] const std::string& name(const std::string& before) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace convert
