// SPDX-License-Identifier: MIT
// Formats a table in columns for reading, and fields of tables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "util/visible.h"

namespace convert {

// Returns a number with `decimals` decimals: "43.691".
[[nodiscard]] std::string format_fixed(double value, int decimals);
// Returns a text, which may come from the user, as a CSV field: quoted if necessary.
[[nodiscard]] std::string csv_field(const std::string& text);

// Table with columns aligned to the right. Columns whose title begins with '<' are aligned to the left.
class TextTable {
 public:
  using Row = std::vector<std::string>;
  explicit TextTable(Row titles) {
    for (std::string& t : titles) {
      left_.push_back(t.starts_with('<'));
      if (left_.back()) t.erase(0, 1);
    }
    rows_.push_back(std::move(titles));
  }
  void add(Row row) {
    for (std::string& cell : row) cell = visible(cell);
    rows_.push_back(std::move(row));
  }
  void append_to(std::string& out) const {
    std::vector<std::size_t> widths(left_.size());
    for (const Row& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
    }
    for (const Row& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::size_t space = widths[c] - width(row[c]);
        if (c != 0) out += "  ";
        if (!left_[c]) out.append(space, ' ');
        out += row[c];
        if (left_[c] && c + 1 < row.size()) out.append(space, ' ');
      }
      out += '\n';
    }
  }

 private:
  // Returns the number of UTF-8 characters: names of switches come from the user.
  static std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
  }
  std::vector<bool> left_;
  std::vector<Row> rows_;
};

}  // namespace convert
