// SPDX-License-Identifier: MIT
// Memory for arrays of many ranks that are walked side by side: with pages of 4 KiB the processor's table of pages
// (TLB) would miss at nearly every step, with huge pages of 2 MiB it holds them all.
#pragma once

#include <cstddef>
#include <vector>

namespace convert {

// Allocates memory aligned to cache lines; pieces of less than `least` bytes come from the usual heap. free_huge()
// must get the same `least`. Thread-safe. Throws std::bad_alloc.
[[nodiscard]] void* allocate_huge(std::size_t bytes, std::size_t least);
void free_huge(void* p, std::size_t bytes, std::size_t least) noexcept;
// Asks the system to back the huge pages that [p, p + bytes) spans as such.
void advise_huge(void* p, std::size_t bytes) noexcept;

// Reserves room for n elements of a vector or string, in huge pages; what is never touched takes no memory.
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
// Smaller pieces come from the usual heap: a trace of some hundred nodes should not cost a huge page.
inline constexpr std::size_t least_huge_piece = std::size_t{16} << 10U;

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

// A vector whose size is known beforehand: pieces share huge pages.
template <typename T>
using HugeVector = std::vector<T, HugePages<T, least_huge_piece>>;
// A vector that grows: what it leaves behind must not lie among pieces that stay.
template <typename T>
using GrowingHugeVector = std::vector<T, HugePages<T, huge_page_bytes>>;

}  // namespace convert
