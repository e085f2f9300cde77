// SPDX-License-Identifier: MIT
// Gives the slices of a timeline tracks on which nothing overlaps: for each rank and lane as many as are needed.
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
  std::uint32_t number = 0;  // of its lane, from 0
};
// Returns "send", "send 2", ….
[[nodiscard]] std::string track_name(const Track& track);

struct Tracks {
  std::vector<Track> tracks;         // by rank, lane, number
  std::vector<std::uint32_t> order;  // the slices by rank, lane, begin
  std::vector<std::uint32_t> of;     // by slice: its track
};
// Puts each slice on the lowest track of its lane on which nothing runs when it begins.
[[nodiscard]] Tracks place_on_tracks(std::span<const Slice> slices);

}  // namespace convert
