// SPDX-License-Identifier: MIT
// Holds equally long lists of values, one for each rank of a class, as the first list and how the others differ.
#pragma once

#include <cstdint>
#include <vector>

#include "core/master/number_runs.h"

namespace convert {

// The ordinal of a rank is its place among those of the class. Differences wrap at 2^64.
struct RankValues {
  std::vector<std::uint64_t> first;  // of ordinal 0
  // Values that differ as others do: rules[rule] has the difference by ordinal.
  struct Varying {
    std::uint32_t value = 0;  // index into `first`
    std::uint32_t rule = 0;
    friend bool operator==(const Varying&, const Varying&) = default;
  };
  std::vector<Varying> varying{};  // ascending by value
  std::vector<NumberRuns> rules{};
  // Values that differ like no others, ascending, and their differences: a row for each rank but the first.
  std::vector<std::uint32_t> own{};
  std::vector<std::uint64_t> own_differences{};

  // Fills `to` with the list of an ordinal.
  void get(std::uint64_t ordinal, std::vector<std::uint64_t>& to) const;
};

// Finds which values differ from those of the first list, and which of these differ alike.
class DifferenceFinder {
 public:
  explicit DifferenceFinder(std::vector<std::uint64_t> first)
      : first_(std::move(first)), group_(first_.size(), 0) {}
  void add(const std::vector<std::uint64_t>& values);
  [[nodiscard]] RankValues finish();

 private:
  [[nodiscard]] std::uint64_t difference(std::uint32_t group, std::size_t row) const;

  std::vector<std::uint64_t> first_;
  // Values that differed alike so far are a group. Where one splits, the new one remembers it as parent.
  std::vector<std::uint32_t> group_;  // by value
  std::vector<std::uint32_t> parent_{0};
  std::vector<std::vector<std::uint64_t>> rows_;  // by list but the first: the difference of each group of then
};

}  // namespace convert
