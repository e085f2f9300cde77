// SPDX-License-Identifier: MIT
// Allocates arrays in huge pages of 2 MiB: the processor's table of pages (TLB) has room for all of them where
// arrays of many ranks are walked side by side; of pages of 4 KiB nearly every step would miss one.
#pragma once

#include <cstddef>
#include <vector>

namespace convert {

// Allocates memory aligned to cache lines, from the usual heap if it is less than `least` bytes. free_huge() gives
// it back and must get the same `bytes` and `least`. Both are thread-safe. Throws std::bad_alloc.
[[nodiscard]] void* allocate_huge(std::size_t bytes, std::size_t least);
void free_huge(void* p, std::size_t bytes, std::size_t least) noexcept;
// Asks the system for huge pages in [p, p + bytes), as far as whole ones fit.
void advise_huge(void* p, std::size_t bytes) noexcept;

// Reserves room for n elements of a vector or string, in huge pages; pages that are never touched take no memory.
template <typename Array>
void reserve_huge(Array& array, std::size_t n) {
  if (array.capacity() >= n) return;
  array.reserve(n);
  advise_huge(static_cast<void*>(array.data()), array.capacity() * sizeof(*array.data()));
}

// Makes `array` n copies of a value, in huge pages.
template <typename Array, typename Value>
void assign_huge(Array& array, std::size_t n, const Value& value) {
  reserve_huge(array, n);
  array.assign(n, value);
}

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
// Less than this comes from the usual heap: a trace of some hundred nodes should not cost a huge page.
inline constexpr std::size_t least_huge_piece = std::size_t{16} << 10U;

// An allocator by allocate_huge().
template <typename T, std::size_t least>
struct HugePages {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = HugePages<U, least>;
  };
  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U, least>& /*other*/) noexcept {
  }  // NOLINT(google-explicit-constructor): an allocator's
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_huge(n * sizeof(T), least));
  }
  void deallocate(T* p, std::size_t n) noexcept { free_huge(p, n * sizeof(T), least); }
  template <typename U>
  friend bool operator==(const HugePages& /*a*/, const HugePages<U, least>& /*b*/) {
    return true;
  }
};

// A vector whose size is known beforehand: several share a huge page.
template <typename T>
using HugeVector = std::vector<T, HugePages<T, least_huge_piece>>;
// A vector that grows: it shares no huge page, in which the arrays that it outgrew would leave holes.
template <typename T>
using GrowingHugeVector = std::vector<T, HugePages<T, huge_page_bytes>>;

}  // namespace convert
