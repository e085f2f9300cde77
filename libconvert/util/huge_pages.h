// SPDX-License-Identifier: MIT
// Memory for arrays of many ranks that are walked side by side: with pages of 4 KiB the processor's table of pages
// (TLB) would miss at nearly every step, with huge pages of 2 MiB it holds them all.
#pragma once

#include <cstddef>
#include <vector>

namespace convert {

// Throws std::bad_alloc. Small pieces come from the usual heap. Aligned to cache lines. To be called from any
// thread.
[[nodiscard]] void* allocate_huge(std::size_t bytes);
void free_huge(void* p, std::size_t bytes) noexcept;
// For memory that is there already: what of it spans huge pages may become such.
void advise_huge(void* p, std::size_t bytes) noexcept;

template <typename T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): as an allocator must
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_huge(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept { free_huge(p, n * sizeof(T)); }
  template <typename U>
  friend bool operator==(const HugePages& /*a*/, const HugePages<U>& /*b*/) {
    return true;
  }
};

template <typename T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace convert
