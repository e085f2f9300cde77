// SPDX-License-Identifier: MIT
// Arrays in huge pages of 2 MiB. Code that walks arrays of many ranks side by side then finds all pages in the
// processor's page table cache (TLB). With pages of 4 KiB, nearly every access would miss.
#pragma once

#include <cstddef>
#include <vector>

namespace convert {

// Allocates memory aligned to cache lines, from the usual heap if it is less than `least` bytes. free_huge() frees
// it and requires the same `bytes` and `least`. Both are thread-safe. Throws std::bad_alloc.
[[nodiscard]] void* allocate_huge(std::size_t bytes, std::size_t least);
void free_huge(void* p, std::size_t bytes, std::size_t least) noexcept;
// Requests huge pages from the system for the whole huge pages in [p, p + bytes).
void advise_huge(void* p, std::size_t bytes) noexcept;

// Reserves room for n elements of a vector or string in huge pages. Pages that are never touched take no memory.
template <typename Array>
void reserve_huge(Array& array, std::size_t n) {
  if (array.capacity() >= n) return;
  array.reserve(n);
  advise_huge(static_cast<void*>(array.data()), array.capacity() * sizeof(*array.data()));
}

// Sets `array` to n copies of a value, in huge pages.
template <typename Array, typename Value>
void assign_huge(Array& array, std::size_t n, const Value& value) {
  reserve_huge(array, n);
  array.assign(n, value);
}

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
// Smaller arrays come from the usual heap: a trace of a few hundred nodes should not take a huge page.
inline constexpr std::size_t least_huge_piece = std::size_t{16} << 10U;

// Allocator with allocate_huge().
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

// Vector whose size is known in advance. Several vectors share a huge page.
template <typename T>
using HugeVector = std::vector<T, HugePages<T, least_huge_piece>>;
// Vector that grows. It does not share huge pages, since the arrays that it outgrows would leave holes in them.
template <typename T>
using GrowingHugeVector = std::vector<T, HugePages<T, huge_page_bytes>>;

}  // namespace convert
