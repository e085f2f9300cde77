// SPDX-License-Identifier: MIT
// Sets of times as disjoint intervals: union, intersection, difference and length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/units.h"

namespace convert {

struct Interval {
  Picoseconds begin = 0;
  Picoseconds end = 0;
};

// Disjoint, non-empty intervals in ascending order.
using Intervals = std::vector<Interval>;

// Returns the union of intervals, given in any order.
[[nodiscard]] inline Intervals join(std::vector<Interval> all) {
  std::erase_if(all, [](const Interval& i) { return i.begin >= i.end; });
  std::ranges::sort(all, {}, &Interval::begin);
  Intervals joined;
  for (const Interval& i : all) {
    if (!joined.empty() && i.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, i.end);
    } else {
      joined.push_back(i);
    }
  }
  return joined;
}

[[nodiscard]] inline Picoseconds length(const Intervals& a) {
  Picoseconds sum = 0;
  for (const Interval& i : a) sum += i.end - i.begin;
  return sum;
}

// Returns the intersection.
[[nodiscard]] inline Intervals common(const Intervals& a, const Intervals& b) {
  Intervals both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Picoseconds begin = std::max(a[i].begin, b[j].begin);
    const Picoseconds end = std::min(a[i].end, b[j].end);
    if (begin < end) both.push_back({begin, end});
    a[i].end < b[j].end ? ++i : ++j;
  }
  return both;
}

// Returns `a` without `b`.
[[nodiscard]] inline Intervals without(const Intervals& a, const Intervals& b) {
  Intervals rest;
  std::size_t j = 0;
  for (Interval i : a) {
    while (j < b.size() && b[j].end <= i.begin) ++j;
    for (std::size_t k = j; k < b.size() && b[k].begin < i.end; ++k) {
      if (i.begin < b[k].begin) rest.push_back({i.begin, b[k].begin});
      i.begin = std::max(i.begin, b[k].end);
    }
    if (i.begin < i.end) rest.push_back(i);
  }
  return rest;
}

}  // namespace convert
