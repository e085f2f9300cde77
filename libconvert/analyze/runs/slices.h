// SPDX-License-Identifier: MIT
// Gives the slices of a run NPU by NPU, and how many NPUs each of them stands for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

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

 private:
  Rows rows_;
  std::vector<Npu> npus_;
};

// Returns the time to which a run is measured: its end, or how far it came.
[[nodiscard]] inline Picoseconds run_time(const Run& run) {
  return run.status == RunStatus::complete || run.status == RunStatus::unmatched ? run.total_ps : run.reached_ps;
}

}  // namespace convert
