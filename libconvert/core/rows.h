// SPDX-License-Identifier: MIT
// Lists of numbers, called rows, stored consecutively in one array (compressed row storage).
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "core/trace.h"

namespace convert {

struct Rows {
  std::vector<std::uint32_t> begin{0};  // by row, into items; one more entry at the end
  std::vector<std::uint32_t> items{};

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {items.data() + begin[row], begin[row + 1] - begin[row]};
  }
  [[nodiscard]] std::span<std::uint32_t> operator[](std::size_t row) {
    return {items.data() + begin[row], begin[row + 1] - begin[row]};
  }
  // Ends a row. It contains the items added since the end of the row before.
  void end_row() { begin.push_back(static_cast<std::uint32_t>(items.size())); }
};

// Returns `rows` rows. Row k contains item(i), or i itself without `item`, for each i < n with key(i) = k,
// ascending by i. key(i) is below `rows`, or no_index to omit i.
template <class Key, class Item = std::identity>
[[nodiscard]] Rows rows_by_key(std::size_t n, std::size_t rows, const Key& key, const Item& item = {}) {
  Rows r;
  r.begin.assign(rows + 2, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (const std::uint32_t k = key(i); k != no_index) ++r.begin[std::size_t{k} + 2];
  }
  std::partial_sum(r.begin.begin(), r.begin.end(), r.begin.begin());
  r.items.resize(r.begin.back());
  for (std::size_t i = 0; i < n; ++i) {
    if (const std::uint32_t k = key(i); k != no_index)
      r.items[r.begin[std::size_t{k} + 1]++] = static_cast<std::uint32_t>(item(i));
  }
  r.begin.pop_back();
  return r;
}

}  // namespace convert
