// SPDX-License-Identifier: MIT
// Slices of a run by NPU, and the number of NPUs that each NPU represents.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyze/parts.h"
#include "core/rows.h"
#include "core/run.h"

namespace convert {

class SlicesByNpu {
 public:
  explicit SlicesByNpu(const Run& run);

  struct Npu {
    Rank rank = 0;
    std::int64_t stands_for = 1;              // number of NPUs that it represents, itself included
    std::span<const std::uint32_t> slices{};  // indices into Timeline::slices
  };
  // Returns the NPUs that have slices, ascending by rank.
  [[nodiscard]] const std::vector<Npu>& npus() const { return npus_; }
  // Returns the number of NPUs that an NPU represents, itself included.
  [[nodiscard]] std::int64_t weight(Rank rank) const;

 private:
  Rows rows_;
  std::map<Rank, std::int64_t> like_;  // number of represented NPUs, without itself
  std::vector<Npu> npus_;
};

// Returns the slices of an NPU; the slices of one device operation are adjacent.
[[nodiscard]] std::vector<std::uint32_t> by_operation(const Run& run, const SlicesByNpu::Npu& npu);
// Returns whether two slices of an NPU are one device operation. A kernel that carries out several messages or
// collectives has a slice for each, on the same stream and with the same times.
[[nodiscard]] bool same_operation(const Slice& a, const Slice& b);
// Calls fn(slices) for each device operation of an NPU; a slice without a stream is a separate operation.
template <class Fn>
void for_each_operation(const Run& run, const SlicesByNpu::Npu& npu, const Fn& fn) {
  const std::vector<std::uint32_t> slices = by_operation(run, npu);
  for (std::size_t begin = 0, end = 0; begin < slices.size(); begin = end) {
    const Slice& first = run.timeline.slices[slices[begin]];
    for (end = begin + 1; end < slices.size() && same_operation(first, run.timeline.slices[slices[end]]);) ++end;
    fn(std::span(slices).subspan(begin, end - begin));
  }
}

// Returns the time categories of the NPUs that have own slices. NPUs with a representative are omitted.
[[nodiscard]] std::vector<NpuParts> own_parts(const Run& run);

}  // namespace convert
