// SPDX-License-Identifier: MIT
// Assignment of the slices of a timeline to tracks without overlaps. Each lane of a rank, or each recorded device
// stream, has as many tracks as needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/timeline.h"

namespace convert {

struct Track {
  Rank rank = 0;
  Lane lane = Lane::compute;
  std::uint32_t number = 0;  // number within its lane or stream, from 0
  std::int32_t stream = -1;  // device stream; -1: a lane
  bool sends = false;        // whether it has sends
};
// Returns "send", "send 2", …; "stream 7", "stream 7 (2)", ….
[[nodiscard]] std::string track_name(const Track& track);

struct Tracks {
  std::vector<Track> tracks;         // sorted by rank; lanes, then streams; number
  std::vector<std::uint32_t> order;  // slices sorted by rank, lane or stream, begin
  std::vector<std::uint32_t> of;     // by slice: index of its track
};
// Puts each slice on the lowest track of its lane or stream that is free when the slice begins.
[[nodiscard]] Tracks place_on_tracks(std::span<const Slice> slices);

}  // namespace convert
