// SPDX-License-Identifier: MIT
// Says which rank of a grown set is a copy of which rank of the set that it was made of.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// Ranks count along one dimension: rank = low + stride(x + count·high), low < stride, x < count. The dimension
// grows to factor·count; x from count on is a copy of x mod count.
struct RankGrid {
  std::uint64_t stride = 1;
  std::uint64_t count = 1;
  std::uint64_t factor = 1;

  [[nodiscard]] std::uint64_t x(Rank old) const { return old / stride % count; }
  // Returns the number of a rank in a copy, 0 to factor - 1.
  [[nodiscard]] Rank grown(Rank old, std::uint64_t copy) const {
    const std::uint64_t high = old / (stride * count);
    return static_cast<Rank>(old % stride + stride * (x(old) + count * (copy + factor * high)));
  }
  // Return of which rank a rank of the grown set is a copy, and of which copy it is.
  [[nodiscard]] Rank template_of(Rank grown) const {
    const std::uint64_t high = grown / (stride * count * factor);
    return static_cast<Rank>(grown % stride + stride * (grown / stride % count + count * high));
  }
  [[nodiscard]] std::uint64_t copy_of(Rank grown) const { return grown / (stride * count) % factor; }
};

// Says how the data-parallel ranks of a job lie: along the dimension of a RankGrid, of whose `count` ranks each
// `ranks` are data-parallel, and the others context-parallel.
struct DataRanks {
  std::uint64_t stride = 1;
  std::uint64_t count = 1;
  std::uint64_t ranks = 0;  // 0: not known
};

}  // namespace convert
