// SPDX-License-Identifier: MIT
// Stores lists of numbers; equal lists are stored once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index_table.h"

namespace convert {

class NumberLists {
 public:
  // Returns the number of an equal list; adds the list if it is new.
  std::uint32_t add(std::span<const std::uint32_t> list) {
    const std::uint32_t id = index_.find_or_add(
        hash(list), size(), [&](std::uint32_t known) { return std::ranges::equal(get(known), list); },
        [&](std::uint32_t known) { return hash(get(known)); });
    if (id == size()) {
      numbers_.insert(numbers_.end(), list.begin(), list.end());
      begin_.push_back(numbers_.size());
    }
    return id;
  }
  [[nodiscard]] std::span<const std::uint32_t> get(std::uint32_t id) const {
    return {numbers_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }

 private:
  static std::size_t hash(std::span<const std::uint32_t> list) {
    std::size_t hash = list.size();
    for (const std::uint32_t v : list) hash = (hash ^ v) * 0x9e3779b97f4a7c15U + (hash >> 29U);
    return hash ^ hash >> 32U;
  }

  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> begin_{0};
  IndexTable<> index_;
};

}  // namespace convert
