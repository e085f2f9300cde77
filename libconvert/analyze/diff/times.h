// SPDX-License-Identifier: MIT
// Comparison of the durations of nodes by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/figures/figures.h"
#include "core/text_set.h"
#include "core/units.h"

namespace convert {

enum class Side : std::uint8_t { a, b };

class NameTimes {
 public:
  // Statistics of the durations of one name on one side.
  struct Times {
    std::uint64_t count = 0;
    Sum sum_ps;
    double mean_ps = 0;      // running mean
    double squares_ps2 = 0;  // running sum of squared deviations from the mean
    void add(Picoseconds time);
    void append(const Times& other);
    [[nodiscard]] double variance() const { return count < 2 ? 0 : squares_ps2 / static_cast<double>(count - 1); }
  };
  struct Row {
    std::string_view name;
    Times a, b;
    Sum path_a_ps, path_b_ps;  // of steps of the critical path
  };

  NameTimes() = default;
  // Takes the names, and one row for each name.
  NameTimes(TextSet&& names, std::vector<Row>&& rows) : names_(std::move(names)), rows_(std::move(rows)) {}

  void add(Side side, std::string_view name, Picoseconds time);
  void add_path(Side side, std::string_view name, Picoseconds time);
  // Adds the times of other ranks.
  void append(NameTimes&& other);
  // Returns the rows that differ, the largest difference of sums first.
  [[nodiscard]] std::vector<Row> rows() const;
  // Returns the table of the rows that differ. `path`: adds the contribution to the difference of the critical
  // paths.
  [[nodiscard]] Table table(bool path) const;
  // Returns the total time of all names on one side.
  [[nodiscard]] Picoseconds sum(Side side) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  Row& row(std::string_view name);
  TextSet names_;
  std::vector<Row> rows_;  // by index in names_
};

// Returns whether the means differ by more than twice the standard error. Returns false if a side has fewer than 8
// occurrences, which are too few for a decision.
[[nodiscard]] bool significant(const NameTimes::Times& a, const NameTimes::Times& b);
// Returns "yes", "no" or "too few".
[[nodiscard]] std::string_view clear_text(const NameTimes::Times& a, const NameTimes::Times& b);

}  // namespace convert
