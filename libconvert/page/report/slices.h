// SPDX-License-Identifier: MIT
// Chooses what of a timeline a report page draws: one of NPUs that do the same, at most so many, and no more slices
// than can be seen.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.h"
#include "page/report/columns.h"
#include "page/report/parts.h"

namespace convert {

inline constexpr std::size_t most_npus_alone = 128;  // more: those that do the same are one
inline constexpr std::size_t most_slices = 300'000;

struct ShownNpu {
  std::uint32_t npu = 0;    // by NpuIndex
  std::uint32_t alike = 1;  // how many do the same, with this one
};
// A slice, or several short ones of a lane that follow each other.
struct ShownSlice {
  const Slice* slice = nullptr;  // the first
  std::uint32_t row = 0;         // in ShownTimeline::npus
  std::uint32_t count = 1;
  Picoseconds end_ps = 0;
  Picoseconds wait_ps = 0;
  Picoseconds slack_ps = -1;
};
struct ShownTimeline {
  std::vector<ShownNpu> npus;       // by rank
  std::vector<std::int32_t> rows;   // by NpuIndex: which of them it is, or does the same; -1: none
  std::vector<ShownSlice> slices;   // by row, lane, begin
  Picoseconds merged_below_ps = 0;  // what is shorter may be part of several; 0: nothing is
};

[[nodiscard]] ShownTimeline shown_timeline(const Run& run, const NpuIndex& index, const RunParts& parts);
void add_slices(const Run& run, const ShownTimeline& shown, PageTexts& names, ReportColumns& columns);

}  // namespace convert
