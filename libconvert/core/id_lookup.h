// SPDX-License-Identifier: MIT
// Finds the position of an id in a table: by an array if the ids are close together, as they usually are, else by
// binary search. Building takes at most O(n log n).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace convert {

class IdLookup {
 public:
  static constexpr std::uint32_t none = 0xffffffff;
  enum class Equal : std::uint8_t { first, last };  // which position find() returns if several have the id

  IdLookup() = default;
  // id(i) returns the id of position i < n as std::optional<std::uint64_t>; nothing if the position has none.
  template <class Id>
  IdLookup(std::size_t n, const Id& id, Equal found = Equal::first) : found_(found) {
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max(), high = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::optional<std::uint64_t> v = id(i);
      if (!v) continue;
      low = std::min(low, *v);
      high = std::max(high, *v);
      ++count;
    }
    if (count == 0) return;
    if (high - low < 8 * count + 1024) {
      low_ = low;
      dense_.assign(static_cast<std::size_t>(high - low) + 1, none);
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::optional<std::uint64_t> v = id(i);
        if (!v) continue;
        std::uint32_t& slot = dense_[static_cast<std::size_t>(*v - low)];
        if (slot != none && !repeated_) repeated_ = v;
        if (slot == none || found == Equal::last) slot = i;
      }
      return;
    }
    sparse_.reserve(count);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (const std::optional<std::uint64_t> v = id(i)) sparse_.emplace_back(*v, i);
    }
    if (!std::ranges::is_sorted(sparse_)) std::ranges::sort(sparse_);
    const auto twice =
        std::ranges::adjacent_find(sparse_, [](const Entry& a, const Entry& b) { return a.first == b.first; });
    if (twice != sparse_.end()) repeated_ = twice->first;
  }

  // Returns the position of the id, or none.
  [[nodiscard]] std::uint32_t find(std::uint64_t id) const {
    if (sparse_.empty()) return id - low_ < dense_.size() ? dense_[static_cast<std::size_t>(id - low_)] : none;
    if (found_ == Equal::first) {
      const auto at = std::lower_bound(sparse_.begin(), sparse_.end(), Entry(id, 0));
      return at == sparse_.end() || at->first != id ? none : at->second;
    }
    const auto after = std::upper_bound(sparse_.begin(), sparse_.end(), Entry(id, none));
    return after == sparse_.begin() || std::prev(after)->first != id ? none : std::prev(after)->second;
  }
  // Returns an id of more than one position, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> repeated() const { return repeated_; }

 private:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;

  Equal found_ = Equal::first;
  std::uint64_t low_ = 0;
  std::vector<std::uint32_t> dense_;
  std::vector<Entry> sparse_;
  std::optional<std::uint64_t> repeated_;
};

}  // namespace convert
