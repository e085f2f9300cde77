// SPDX-License-Identifier: MIT
// Lower bound of the time of an all-to-all, by lengths of the links.
//
// For any lengths of the links, each byte from s to t takes at least its distance of (length × byte), and the links
// carry at most the sum of length × bandwidth per second. This gives a lower bound, which equals the maximum
// concurrent flow at the best lengths (linear programming duality). Good lengths are found by multiplicative
// weights (Garg and Könemann 1998): links on many shortest routes become longer, round by round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/bounds/cuts.h"
#include "synthesis/graph.h"

namespace convert {

// One byte from each participant to each other takes at least distance / (capacity × unit of the graph) seconds.
struct LengthBound {
  std::vector<std::int64_t> lengths{};  // by link; 0 for links without influence
  std::int64_t distance = 0;            // sum of the shortest routes of all ordered pairs
  std::int64_t capacity = 1;            // sum of length × bandwidth
  double reached = 0;                   // seconds times the unit: time of a fractional flow over the routes found

  [[nodiscard]] double ratio() const { return static_cast<double>(distance) / static_cast<double>(capacity); }
};

// Returns a bound near the best one; it is exact for the lengths that it returns. With very many participants and
// links, there are fewer rounds; no rounds follow after the gap is closed. Requires a route from each participant
// to each other.
[[nodiscard]] LengthBound all_to_all_lengths(const LinkGraph& graph, std::span<const Device> participants);

// Returns the worst cut of an all-to-all of at least two participants, by the shards of pairs that must cross it.
// The candidates follow from the lengths: the devices nearest to a participant, and the devices nearer to one
// participant than to another.
[[nodiscard]] DeviceCut worst_exchange_cut(const LinkGraph& graph, std::span<const Device> participants,
                                           const LengthBound& lengths);

}  // namespace convert
