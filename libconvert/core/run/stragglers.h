// SPDX-License-Identifier: MIT
// NPUs of a run that compute longer than the median NPU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Computing time of an NPU: the length of the union of its intervals.
struct NpuComputing {
  Rank npu = 0;
  Picoseconds time_ps = 0;
};

// NPUs whose computing times are equal within 1 %.
struct StragglerGroup {
  std::vector<Rank> npus{};  // ascending
  Picoseconds time_ps = 0;   // of the slowest
};
struct Stragglers {
  Picoseconds median_ps = 0;  // with an even number of NPUs, the lower one of the two medians
  std::vector<StragglerGroup> groups{};
};

// Returns the NPUs that compute more than 1.05 times as long as the median NPU, the slowest first. Empty for a
// single NPU, or if the median NPU computes nothing.
[[nodiscard]] Stragglers find_stragglers(std::span<const NpuComputing> computing);

// Returns "NPU 5", "2 NPUs (1, 3)", "32 NPUs (1, 3, 5, …)".
[[nodiscard]] std::string npus_text(std::span<const Rank> npus);

}  // namespace convert
