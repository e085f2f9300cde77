// SPDX-License-Identifier: MIT
// Gives the slices of a run NPU by NPU, and how many NPUs each of them stands for.
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
    std::int64_t stands_for = 1;              // NPUs, itself included
    std::span<const std::uint32_t> slices{};  // in Timeline::slices
  };
  // Returns the NPUs that have slices, ascending by rank.
  [[nodiscard]] const std::vector<Npu>& npus() const { return npus_; }
  // Returns how many NPUs one stands for, itself included.
  [[nodiscard]] std::int64_t weight(Rank rank) const;

 private:
  Rows rows_;
  std::map<Rank, std::int64_t> like_;  // NPUs beside itself
  std::vector<Npu> npus_;
};

// Returns the slices of an NPU, the slices of one device operation next to each other.
[[nodiscard]] std::vector<std::uint32_t> by_operation(const Run& run, const SlicesByNpu::Npu& npu);
// Returns whether two slices of an NPU are one device operation: a kernel that carries out several messages or
// collectives has a slice for each one, on the same stream and with the same times.
[[nodiscard]] bool same_operation(const Slice& a, const Slice& b);
// Calls fn(slices) for each device operation of an NPU; a slice without a stream is an operation of its own.
template <class Fn>
void for_each_operation(const Run& run, const SlicesByNpu::Npu& npu, const Fn& fn) {
  const std::vector<std::uint32_t> slices = by_operation(run, npu);
  for (std::size_t begin = 0, end = 0; begin < slices.size(); begin = end) {
    const Slice& first = run.timeline.slices[slices[begin]];
    for (end = begin + 1; end < slices.size() && same_operation(first, run.timeline.slices[slices[end]]);) ++end;
    fn(std::span(slices).subspan(begin, end - begin));
  }
}

// Returns the parts of the NPUs that have slices of their own: of those that others stand for, these tell.
[[nodiscard]] std::vector<NpuParts> own_parts(const Run& run);

}  // namespace convert
