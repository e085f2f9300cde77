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

// Returns the parts of the NPUs that have slices of their own: of those that others stand for, these tell.
[[nodiscard]] std::vector<NpuParts> own_parts(const Run& run);

}  // namespace convert
