// SPDX-License-Identifier: MIT
// Activity of the NPUs of a run over time, for a page.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/parts.h"
#include "core/run.h"

namespace convert {

// Indexes the NPUs of a run in the order of npus_of().
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
  std::vector<NpuParts> npus;        // by NpuIndex; NPUs of a class share their times
  std::vector<double> activity;      // by time category, then by bin of the window: mean number of NPUs
  std::vector<Picoseconds> wait_ps;  // by slice: how long it waits for another NPU, from its begin
};
inline constexpr std::size_t activity_bins = 360;

[[nodiscard]] RunParts run_parts(const Run& run, const NpuIndex& index);

}  // namespace convert
