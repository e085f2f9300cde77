// SPDX-License-Identifier: MIT
// Holds stretches of time and measures their unions and what two unions share.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/units.h"

namespace convert {

class Intervals {
 public:
  // Adds [begin, end); nothing if it is empty. Call merge() before the others.
  void add(Picoseconds begin, Picoseconds end) {
    if (begin < end) parts_.emplace_back(begin, end);
  }
  // Makes the union: ascending parts that do not touch.
  void merge() {
    if (!std::is_sorted(parts_.begin(), parts_.end())) std::sort(parts_.begin(), parts_.end());
    std::size_t kept = 0;
    for (const auto& [begin, end] : parts_) {
      if (kept != 0 && begin <= parts_[kept - 1].second) {
        parts_[kept - 1].second = std::max(parts_[kept - 1].second, end);
      } else {
        parts_[kept++] = {begin, end};
      }
    }
    parts_.resize(kept);
  }
  [[nodiscard]] Picoseconds length() const {
    Picoseconds sum = 0;
    for (const auto& [begin, end] : parts_) sum += end - begin;
    return sum;
  }
  // Returns the length of what both have.
  [[nodiscard]] Picoseconds shared(const Intervals& other) const {
    Picoseconds sum = 0;
    auto b = other.parts_.begin();
    for (const auto& [begin, end] : parts_) {
      while (b != other.parts_.end() && b->second <= begin) ++b;
      for (auto at = b; at != other.parts_.end() && at->first < end; ++at)
        sum += std::min(end, at->second) - std::max(begin, at->first);
    }
    return sum;
  }

 private:
  std::vector<std::pair<Picoseconds, Picoseconds>> parts_;
};

}  // namespace convert
