// SPDX-License-Identifier: MIT
// Arrays of many ranks, interleaved by cache line: the first line of each rank, then the second line of each, and
// so on. Ranks that progress at the same pace then touch few pages. With one array after the other, each rank
// touches a page of its own, but the TLB has only some thousand entries, and a virtual machine without huge pages
// on its host has small ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "util/divisor.h"
#include "util/huge_pages.h"

namespace convert {

// Array in lines with gaps between them. It refers to memory that another object owns.
template <typename T>
class LineArray {
 public:
  static constexpr std::uint32_t per_line = 64 / sizeof(T);
  static_assert(64 % sizeof(T) == 0);

  LineArray() = default;
  // `stride`: distance between lines, in elements; per_line: without gaps.
  LineArray(T* first, std::size_t stride) : first_(first), stride_(stride) {}
  [[nodiscard]] T& operator[](std::uint32_t i) const { return first_[place(i)]; }
  // Prefetches an element. An index beyond the end is harmless.
  [[gnu::always_inline]] void prefetch(std::uint32_t i) const { __builtin_prefetch(first_ + place(i)); }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t i) const { return i / per_line * stride_ + i % per_line; }

  T* first_ = nullptr;
  std::size_t stride_ = per_line;
};

// Owner of an array for each rank.
template <typename T>
class RankArrays {
 public:
  RankArrays() = default;
  // Makes an array of sizes[r] elements for each rank r, initialised to T().
  explicit RankArrays(std::span<const std::size_t> sizes);

  [[nodiscard]] LineArray<T> operator[](std::size_t rank) {
    return {items_.data() + ranks_[rank].first, ranks_[rank].stride};
  }
  [[nodiscard]] LineArray<const T> operator[](std::size_t rank) const {
    return {items_.data() + ranks_[rank].first, ranks_[rank].stride};
  }

 private:
  struct Place {
    std::size_t first = 0;
    std::size_t stride = 0;
  };
  std::vector<Place> ranks_;
  HugeVector<T> items_;
};

// Ranks of similar size are interleaved: up to an eighth of the lines is unused.
template <typename T>
RankArrays<T>::RankArrays(std::span<const std::size_t> sizes) : ranks_(sizes.size()) {
  constexpr std::size_t per_line = LineArray<T>::per_line;
  const auto lines = [&](std::size_t rank) { return (sizes[rank] + per_line - 1) / per_line; };
  std::vector<std::size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::size_t first = 0;
  for (auto begin = by_size.begin(); begin != by_size.end();) {
    const std::size_t most = lines(*begin);
    if (most == 0) break;
    const auto end = std::find_if(begin, by_size.end(), [&](std::size_t r) { return lines(r) < most - most / 8; });
    const std::size_t stride = static_cast<std::size_t>(end - begin) * per_line;
    for (; begin != end; ++begin, first += per_line) ranks_[*begin] = {first, stride};
    first += stride * (most - 1);
  }
  items_.resize(first);
}

// Positions of elements that ranks have created one rank after the other, interleaved as if each rank had created
// equally many.
template <std::uint32_t per_line>
class Stretches {
 public:
  Stretches() = default;
  // Splits `size` elements into `stretches` equal stretches; into one stretch if they would be shorter than a line.
  Stretches(std::size_t size, std::size_t stretches) {
    if (stretches == 0 || size / stretches < per_line) stretches = 1;
    const std::size_t length = std::max<std::size_t>((size + stretches - 1) / stretches, 1);
    length_ = static_cast<std::uint32_t>(length);
    stretches_ = static_cast<std::uint32_t>(stretches);
    if (size != 0) size_ = static_cast<std::uint32_t>((length + per_line - 1) / per_line * per_line * stretches);
    by_length_ = Divisor(length_);
    by_stretches_ = Divisor(stretches_);
  }

  // Returns the number of positions; some have no element.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t place(std::uint32_t element) const {
    const std::uint32_t stretch = by_length_.quotient(element);
    const std::uint32_t at = element - stretch * length_;
    return (at / per_line * stretches_ + stretch) * per_line + at % per_line;
  }
  // Returns the element at a position that has one.
  [[nodiscard]] std::uint32_t element(std::uint32_t place) const {
    const std::uint32_t row = by_stretches_.quotient(place / per_line);
    const std::uint32_t stretch = place / per_line - row * stretches_;
    return stretch * length_ + row * per_line + place % per_line;
  }

 private:
  std::uint32_t length_ = 1;
  std::uint32_t stretches_ = 1;
  std::uint32_t size_ = 0;
  Divisor by_length_;
  Divisor by_stretches_;
};

}  // namespace convert
