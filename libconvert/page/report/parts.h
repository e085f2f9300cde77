// SPDX-License-Identifier: MIT
// Computes for a page of a run what its NPUs do at each time.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/parts.h"
#include "core/run.h"

namespace convert {

// Numbers the NPUs of a run as npus_of() has them.
class NpuIndex {
 public:
  explicit NpuIndex(const Run& run) : ranks_(npus_of(run)) {}
  // Returns the index of a rank, or no_index.
  [[nodiscard]] std::uint32_t operator[](Rank rank) const;
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }

 private:
  std::vector<Rank> ranks_;
};

struct RunParts {
  std::vector<NpuParts> npus;        // by NpuIndex; those of a class have its times
  std::vector<double> activity;      // by part, then by bin of the window: how many NPUs, on average
  std::vector<Picoseconds> wait_ps;  // by slice: how long it waits for somebody, from its begin
};
inline constexpr std::size_t activity_bins = 360;

[[nodiscard]] RunParts run_parts(const Run& run, const NpuIndex& index);

}  // namespace convert
