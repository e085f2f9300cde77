// SPDX-License-Identifier: MIT
// Holds the contents of TE-CCL's JSON, from which a schedule is made.
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
  double volume = 1;  // of the chunk
  std::uint32_t line = 0;
};

// A part of a chunk on its way to the node that demands it; its hops have one volume.
struct Path {
  ChunkKey chunk;
  std::uint32_t node = 0;  // the one that demands it
  std::uint32_t met = 0;   // epoch in which the last part of the chunk has arrived
  std::vector<Flow> hops;
};

// Adds the hops of the paths as transfers, for flows that carry parts of chunks, as in all-to-alls: cuts each chunk
// into so many equal parts that every path moves whole ones, and returns that number. Warns [R7] of flows that no
// path needs, or that have less volume than the paths through them. Throws Error(input) [R0]: volumes that do not
// add up to whole chunks, or have no common part of a 1000th or more; hops that no flow makes.
[[nodiscard]] std::uint32_t add_parts(std::vector<Path> paths, const std::vector<Flow>& flows, ScheduleBuilder& to,
                                      Diagnostics& diagnostics);

}  // namespace convert::teccl
