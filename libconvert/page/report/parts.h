// SPDX-License-Identifier: MIT
// Computes for a page of a run what its NPUs do at each time: the parts that add up to the total.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/run.h"

namespace convert {

// What an NPU does: each moment of it is one of these.
enum class TimePart : std::uint8_t { compute, both, moving, waiting, memory, cpu, idle };
inline constexpr std::array<std::string_view, 7> time_part_names = {"compute", "both", "moving", "waiting",
                                                                    "memory",  "cpu",  "idle"};
using PartTimes = std::array<Picoseconds, time_part_names.size()>;

// Returns the end of the window that parts add up to: of the last node, or where the run stopped.
[[nodiscard]] Picoseconds window_end(const Run& run);

struct RunParts {
  std::vector<PartTimes> npus;       // by Run::npus; those of a class have its times
  std::vector<double> activity;      // by part, then by bin of the window: how many NPUs, on average
  std::vector<Picoseconds> wait_ps;  // by slice: how long it waits for somebody, from its begin
};
inline constexpr std::size_t activity_bins = 360;

[[nodiscard]] RunParts run_parts(const Run& run);

// Returns for each slice of a run whether it waits from its begin on, and how long: a collective until its last NPU
// calls it, a receive until its message is sent.
[[nodiscard]] std::vector<Picoseconds> slice_waits(const Run& run);

// Numbers the ranks of a run as Run::npus has them.
class NpuIndex {
 public:
  explicit NpuIndex(const Run& run);
  // Returns the index of a rank, or no_index.
  [[nodiscard]] std::uint32_t operator[](Rank rank) const;

 private:
  std::vector<Rank> ranks_;
};

}  // namespace convert
