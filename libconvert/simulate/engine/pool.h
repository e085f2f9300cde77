// SPDX-License-Identifier: MIT
// Numbers objects that come and go; the number that was given back last is used again first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "util/huge_pages.h"

namespace convert {

// Links unused objects into a list by their member `next`, which nobody else reads then.
template <typename T, std::uint32_t T::*next>
class Pool {
 public:
  std::uint32_t add(const T& value) {
    if (unused_ == 0) {
      items_.push_back(value);
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t i = unused_ - 1;
    unused_ = items_[i].*next;
    __builtin_prefetch(&items_[unused_ == 0 ? i : unused_ - 1], 1);  // the next one
    items_[i] = value;
    return i;
  }
  // The rest of the object stays until the number is used again.
  void remove(std::uint32_t i) {
    items_[i].*next = unused_;
    unused_ = i + 1;
  }
  [[nodiscard]] T& operator[](std::uint32_t i) { return items_[i]; }
  [[nodiscard]] const T& operator[](std::uint32_t i) const { return items_[i]; }
  // Returns a number above all that were ever used.
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  GrowingHugeVector<T> items_;
  std::uint32_t unused_ = 0;  // 1 + first of the list
};

}  // namespace convert
