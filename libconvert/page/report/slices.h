// SPDX-License-Identifier: MIT
// Selection of the slices of a timeline that a report page draws: a bounded number of representative NPUs, and no
// more slices than are visible.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.h"
#include "page/report/columns.h"
#include "page/report/parts.h"

namespace convert {

inline constexpr std::size_t most_npus_alone = 128;  // with more NPUs, each class is shown as its representative
inline constexpr std::size_t most_slices = 300'000;

struct ShownNpu {
  std::uint32_t npu = 0;    // index in NpuIndex
  std::uint32_t alike = 1;  // number of equal NPUs, including this one
};
// A slice, or several adjacent short slices of a lane.
struct ShownSlice {
  const Slice* slice = nullptr;  // the first slice
  std::uint32_t row = 0;         // index in ShownTimeline::npus
  std::uint32_t count = 1;
  Picoseconds end_ps = 0;
  Picoseconds wait_ps = 0;
  Picoseconds slack_ps = -1;
};
struct ShownTimeline {
  std::vector<ShownNpu> npus;       // by rank
  std::vector<std::int32_t> rows;   // by NpuIndex: row of the NPU or of its representative; -1: none
  std::vector<ShownSlice> slices;   // by row, lane, begin
  Picoseconds merged_below_ps = 0;  // shorter slices may be merged; 0: no slice is
};

[[nodiscard]] ShownTimeline shown_timeline(const Run& run, const NpuIndex& index, const RunParts& parts);
void add_slices(const Run& run, const ShownTimeline& shown, PageTexts& names, ReportColumns& columns);

}  // namespace convert
