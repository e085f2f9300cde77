// SPDX-License-Identifier: MIT
// Lists of equal length, one for each rank of a class, stored as the first list and the differences of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/master/number_runs.h"

namespace convert {

// The ordinal of a rank is its index in its class. Differences wrap at 2^64.
struct RankValues {
  std::vector<std::uint64_t> first;  // of ordinal 0
  // A value whose differences are shared with other values: rules[rule] has the difference by ordinal.
  struct Varying {
    std::uint32_t value = 0;  // index into `first`
    std::uint32_t rule = 0;
    friend bool operator==(const Varying&, const Varying&) = default;
  };
  std::vector<Varying> varying{};  // ascending by value
  std::vector<NumberRuns> rules{};
  // Indices of values whose differences no other value shares, ascending, and the differences: a row for each rank
  // except the first.
  std::vector<std::uint32_t> own{};
  std::vector<std::uint64_t> own_differences{};

  // Fills `to` with the list of an ordinal.
  void get(std::uint64_t ordinal, std::vector<std::uint64_t>& to) const;
};

// Finds which values differ from the first list, and which of these differ in the same way.
class DifferenceFinder {
 public:
  explicit DifferenceFinder(std::vector<std::uint64_t> first)
      : first_(std::move(first)), group_(first_.size(), 0) {}
  void add(const std::vector<std::uint64_t>& values);
  [[nodiscard]] RankValues finish();

 private:
  [[nodiscard]] std::uint64_t difference(std::uint32_t group, std::size_t row) const;

  std::vector<std::uint64_t> first_;
  // Values that differed in the same way so far form a group. If a group splits, the new group's parent is the old
  // one.
  std::vector<std::uint32_t> group_;  // by value
  std::vector<std::uint32_t> parent_{0};
  std::vector<std::vector<std::uint64_t>> rows_;  // by list except the first: the difference of each group that
                                                  // existed then
};

}  // namespace convert
