// SPDX-License-Identifier: MIT
// Contents of TE-CCL's JSON, from which a schedule is built.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "formats/ten/builder.h"

namespace convert::teccl {

struct ChunkKey {
  std::uint32_t origin = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

struct Flow {
  ChunkKey chunk;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t epoch = 0;
  double volume = 1;  // fraction of the chunk
  std::uint32_t line = 0;
};

// Route of a part of a chunk to the node that demands it; all hops have the same volume.
struct Path {
  ChunkKey chunk;
  std::uint32_t node = 0;  // the node of the demand
  std::uint32_t met = 0;   // epoch in which the last part of the chunk arrives
  std::vector<Flow> hops;
};

// Adds the hops of the paths as transfers, for flows that carry parts of chunks, as in all-to-alls. Splits each
// chunk into the number of equal parts with which every path moves whole parts; returns that number. Warns [R7]
// about flows that no path uses, or with less volume than their paths. Throws Error(input) [R0] if volumes do not
// sum to whole chunks, have no common divisor of at least 1/1000, or a hop has no flow.
[[nodiscard]] std::uint32_t add_parts(std::vector<Path> paths, const std::vector<Flow>& flows, ScheduleBuilder& to,
                                      Diagnostics& diagnostics);

}  // namespace convert::teccl
