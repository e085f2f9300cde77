// SPDX-License-Identifier: MIT
// Gives the slices of a timeline tracks on which nothing overlaps: for each rank and lane, or stream of a device
// where one was recorded, as many as are needed.
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
  std::uint32_t number = 0;  // of its lane or stream, from 0
  std::int32_t stream = -1;  // of the device; -1: a lane
  bool sends = false;        // it has sends
};
// Returns "send", "send 2", …; "stream 7", "stream 7 (2)", ….
[[nodiscard]] std::string track_name(const Track& track);

struct Tracks {
  std::vector<Track> tracks;         // by rank; lanes, then streams; number
  std::vector<std::uint32_t> order;  // the slices by rank, lane or stream, begin
  std::vector<std::uint32_t> of;     // by slice: its track
};
// Puts each slice on the lowest track of its lane or stream on which nothing runs when it begins.
[[nodiscard]] Tracks place_on_tracks(std::span<const Slice> slices);

}  // namespace convert
