// SPDX-License-Identifier: MIT
// Timeline: slices with a begin and an end, by rank and lane. Filled by a replay, drawn by formats.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text_set.h"
#include "core/trace.h"
#include "core/units.h"

namespace convert {

enum class Lane : std::uint8_t { cpu, compute, memory, send, recv, collective };
inline constexpr std::array<std::string_view, 6> lane_names = {"cpu",  "compute", "memory",
                                                               "send", "recv",    "collective"};
[[nodiscard]] constexpr std::string_view lane_name(Lane lane) { return lane_names[static_cast<std::size_t>(lane)]; }
// Returns whether slices of the lane are communication: sends, receives (from when they are posted), collectives.
[[nodiscard]] constexpr bool communicates(Lane lane) { return lane >= Lane::send; }

struct Slice {
  Picoseconds begin_ps = 0;
  Picoseconds end_ps = 0;
  NodeId node = 0;
  std::int64_t bytes = -1;  // -1: not a message
  std::uint64_t flow = 0;   // equal on a send and the recv that takes its message; 0: none
  Rank rank = 0;
  std::uint32_t name = 0;         // in Timeline::names
  std::int32_t peer = -1;         // of a message: the other rank; else -1
  std::uint32_t call = no_index;  // in Run::calls, of a collective
  Lane lane = Lane::compute;
  bool open = false;         // it had not ended at the end of the run
  std::int32_t stream = -1;  // of the device; -1: not recorded
};

// A message on one link of its route.
struct HopSlice {
  std::uint32_t message = 0;  // index of the message, in the order of sending
  Rank src = 0;               // of the message
  Rank dst = 0;
  std::int64_t bytes = 0;
  std::uint32_t to = 0;  // the device at the end of the link
  Picoseconds begin_ps = 0;
  Picoseconds end_ps = 0;  // when all of it has arrived
};

struct Timeline {
  std::vector<Slice> slices;
  std::vector<HopSlice> hops{};  // by begin; only on request
  TextSet names;

  [[nodiscard]] std::string_view name(const Slice& s) const { return names[s.name]; }
};

}  // namespace convert
