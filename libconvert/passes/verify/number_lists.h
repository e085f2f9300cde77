// SPDX-License-Identifier: MIT
// Stores lists of numbers, each different one once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace convert {

class NumberLists {
 public:
  // Returns the number of an equal list, which is added if it is new.
  std::uint32_t add(std::span<const std::uint32_t> list) {
    std::uint64_t hash = list.size();
    for (const std::uint32_t v : list) hash = (hash ^ v) * 0x9e3779b97f4a7c15ULL + (hash >> 29U);
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      if (std::ranges::equal(get(at->second), list)) return at->second;
    }
    const auto id = static_cast<std::uint32_t>(begin_.size() - 1);
    numbers_.insert(numbers_.end(), list.begin(), list.end());
    begin_.push_back(numbers_.size());
    by_hash_.emplace(hash, id);
    return id;
  }
  [[nodiscard]] std::span<const std::uint32_t> get(std::uint32_t id) const {
    return {numbers_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> begin_{0};
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace convert
