// SPDX-License-Identifier: MIT
// Holds a timeline: slices with a begin and an end, by rank and lane. A replay fills it, formats draw it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

enum class Lane : std::uint8_t { cpu, compute, memory, send, recv, collective };
inline constexpr std::array<std::string_view, 6> lane_names = {"cpu",  "compute", "memory",
                                                               "send", "recv",    "collective"};
[[nodiscard]] constexpr std::string_view lane_name(Lane lane) { return lane_names[static_cast<std::size_t>(lane)]; }

struct Slice {
  Rank rank = 0;
  Lane lane = Lane::compute;
  Picoseconds begin_ps = 0;
  Picoseconds end_ps = 0;
  NodeId node = 0;
  Text name{};              // in Timeline::text
  std::int64_t bytes = -1;  // -1: not a message
  std::int64_t peer = -1;   // of a message: the other rank; else -1
  std::uint64_t flow = 0;   // the same number on a send and the recv that takes its message; 0: none
};

struct Timeline : TextPool {
  std::vector<Slice> slices;
};

}  // namespace convert
