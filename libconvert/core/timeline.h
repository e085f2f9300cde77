// SPDX-License-Identifier: MIT
// Holds a timeline: slices with a begin and an end, by rank and lane. A replay fills it, formats draw it.
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
  std::uint64_t flow = 0;   // the same number on a send and the recv that takes its message; 0: none
  Rank rank = 0;
  std::uint32_t name = 0;         // in Timeline::names
  std::int32_t peer = -1;         // of a message: the other rank; else -1
  std::uint32_t call = no_index;  // in Run::calls, of a collective
  Lane lane = Lane::compute;
  bool open = false;         // it had not ended when the run did
  std::int32_t stream = -1;  // of the device, where one was recorded
};

// A message on a link of its way.
struct HopSlice {
  std::uint32_t message = 0;  // numbers the messages, in the order in which they were sent
  Rank src = 0;               // of the message
  Rank dst = 0;
  std::int64_t bytes = 0;
  std::uint32_t to = 0;  // the device at the end of the link
  Picoseconds begin_ps = 0;
  Picoseconds end_ps = 0;  // all of it is there
};

struct Timeline {
  std::vector<Slice> slices;
  std::vector<HopSlice> hops{};  // by begin; only where they are asked for
  TextSet names;

  [[nodiscard]] std::string_view name(const Slice& s) const { return names[s.name]; }
};

}  // namespace convert
