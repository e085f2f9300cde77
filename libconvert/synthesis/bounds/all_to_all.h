// SPDX-License-Identifier: MIT
// Bounds an all-to-all by lengths of the links.
//
// Whatever lengths links have, each byte from s to t takes at least its distance of (length × byte), and the links
// carry at most the sum of length × bandwidth per second: a bound, and at the best lengths the largest concurrent
// flow (duality of linear programs). Multiplicative weights find good lengths (Garg and Könemann 1998): links on
// many shortest ways become longer, round by round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/bounds/cuts.h"
#include "synthesis/graph.h"

namespace convert {

// A participant's byte for each other takes at least distance / (capacity × unit of the graph) seconds.
struct LengthBound {
  std::vector<std::int64_t> lengths{};  // by link; 0 of those that count nothing
  std::int64_t distance = 0;            // the sum of the shortest ways of all ordered pairs
  std::int64_t capacity = 1;            // the sum of length × bandwidth
  double reached =
      0;  // seconds times the unit: what flows over the ways found take, if they may be divided at will

  [[nodiscard]] double ratio() const { return static_cast<double>(distance) / static_cast<double>(capacity); }
};

// Returns a bound that is near the best one; exact for the lengths that it tells. Fewer rounds are made where there
// are very many participants and links, none after the gap is closed. Ways must lead from each participant to each.
[[nodiscard]] LengthBound all_to_all_lengths(const LinkGraph& graph, std::span<const Device> participants);

// Returns the worst cut of an all-to-all of two or more, by the parts of pairs that must cross it, of those that
// such lengths suggest: what is nearest to a participant, and what is nearer to one than to another.
[[nodiscard]] DeviceCut worst_exchange_cut(const LinkGraph& graph, std::span<const Device> participants,
                                           const LengthBound& lengths);

}  // namespace convert
