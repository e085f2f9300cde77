// SPDX-License-Identifier: MIT
// Maps ranks of a scaled set to the ranks of its template set.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// Position of ranks along one dimension: rank = low + stride(x + count·high), low < stride, x < count. The
// dimension grows to factor·count; positions x ≥ count are copies of x mod count.
struct RankGrid {
  std::uint64_t stride = 1;
  std::uint64_t count = 1;
  std::uint64_t factor = 1;

  [[nodiscard]] std::uint64_t x(Rank old) const { return old / stride % count; }
  // Returns the number of a rank in a copy; `copy` is 0 to factor - 1.
  [[nodiscard]] Rank grown(Rank old, std::uint64_t copy) const {
    const std::uint64_t high = old / (stride * count);
    return static_cast<Rank>(old % stride + stride * (x(old) + count * (copy + factor * high)));
  }
  // Return the template rank of a rank of the scaled set, and the number of its copy.
  [[nodiscard]] Rank template_of(Rank grown) const {
    const std::uint64_t high = grown / (stride * count * factor);
    return static_cast<Rank>(grown % stride + stride * (grown / stride % count + count * high));
  }
  [[nodiscard]] std::uint64_t copy_of(Rank grown) const { return grown / (stride * count) % factor; }
};

// Position of the data-parallel ranks of a job along the dimension of a RankGrid. Its `count` ranks are `ranks`
// data-parallel ranks times the context-parallel ranks.
struct DataRanks {
  std::uint64_t stride = 1;
  std::uint64_t count = 1;
  std::uint64_t ranks = 0;  // 0: unknown
};

}  // namespace convert
