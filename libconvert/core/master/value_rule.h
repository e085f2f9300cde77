// SPDX-License-Identifier: MIT
// Collects a value of each rank of a class, rank by rank, as its difference from the first rank's value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/master/rank_values.h"

namespace convert {

class ValueRule {
 public:
  void add(std::uint64_t value) {
    if (differences_.size() == 0) first_ = value;
    differences_.add(value - first_);
    differs_ = differs_ || value != first_;
  }
  // Returns the index of the rule in `to`, to which the rule is added; nothing if all ranks have the same value.
  std::optional<std::uint32_t> number(RankValues& to) {
    if (!differs_) return std::nullopt;
    if (!number_) {
      const auto known = std::ranges::find(to.rules, differences_);
      number_ = static_cast<std::uint32_t>(known - to.rules.begin());
      if (known == to.rules.end()) to.rules.push_back(differences_);
    }
    return number_;
  }

 private:
  std::uint64_t first_ = 0;
  bool differs_ = false;
  NumberRuns differences_;
  std::optional<std::uint32_t> number_;
};

}  // namespace convert
