// SPDX-License-Identifier: MIT
// Pool of numbered objects. The last released number is reused first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "util/huge_pages.h"

namespace convert {

// Links unused objects into a list by their member `next`, which must not be read meanwhile.
template <typename T, std::uint32_t T::*next>
class Pool {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  std::uint32_t add(const T& value) { return emplace(value); }
  // Constructs the object in its place. Copying an object that was just written, in pieces of other sizes than it
  // is read, would wait for the writes.
  template <typename... Members>
  std::uint32_t emplace(Members&&... members) {
    const std::uint32_t i = unused_ == 0 ? add_last() : take_unused();
    std::construct_at(&items_[i], std::forward<Members>(members)...);
    return i;
  }
  // Returns the next number to be used.
  [[nodiscard]] std::uint32_t next_number() const {
    return unused_ == 0 ? static_cast<std::uint32_t>(items_.size()) : unused_ - 1;
  }
  // The other members of the object keep their values until the number is reused.
  void remove(std::uint32_t i) {
    items_[i].*next = unused_;
    unused_ = i + 1;
  }
  [[nodiscard]] T& operator[](std::uint32_t i) { return items_[i]; }
  [[nodiscard]] const T& operator[](std::uint32_t i) const { return items_[i]; }
  // Returns a number above all numbers that were ever used.
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  std::uint32_t take_unused() {
    const std::uint32_t i = unused_ - 1;
    unused_ = items_[i].*next;
    __builtin_prefetch(&items_[unused_ == 0 ? i : unused_ - 1], 1);  // the next unused object
    return i;
  }
  [[gnu::noinline]] std::uint32_t add_last() {
    items_.emplace_back();
    return static_cast<std::uint32_t>(items_.size() - 1);
  }

  GrowingHugeVector<T> items_;
  std::uint32_t unused_ = 0;  // 1 + first of the list
};

}  // namespace convert
