// SPDX-License-Identifier: MIT
// Chooses ways for what goes from one NPU to another, as in an all-to-all, so that no link carries much more than
// its share.
//
// One way after the other is the shortest by lengths that rise exponentially with the load of a link, as for trees
// (trees/growth.h); then those over overloaded links are taken out and chosen anew.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/trees/packing.h"

namespace convert {

// A part that goes from an NPU to another.
struct Commodity {
  Device from = 0;
  Device to = 0;
};

// Returns what an all_to_all, a scatter or a gather moves: by source, then destination; of an all_to_all in rounds,
// in the k-th of which each NPU sends to the one k places behind it.
[[nodiscard]] std::vector<Commodity> commodities_of(const SynthesisProblem& problem);

// Adds the moves of a piece along its links, from NPU to NPU.
void add_path(const LinkGraph& graph, std::span<const std::uint32_t> path, std::uint32_t piece, Moves& m);

struct PathChoice {
  std::uint32_t pieces = 1;  // of a part, each with a way of its own
  std::uint32_t passes = 6;  // of taking out and choosing anew, at most
  std::uint64_t seed = 1;    // of the order in which ways are chosen
  bool shortest = false;     // by the time of a piece, whatever the load
};

// Returns the moves of all pieces, from NPU to NPU; and the order of pieces: by round. `share`: the parts that a
// link of bandwidth 1 can carry while the bound lasts. `lengths`: those of links that bound the collective most, or
// none. Devices that do not take part are passed as the problem says.
[[nodiscard]] TreeMoves choose_paths(const SynthesisProblem& problem, std::span<const Commodity> commodities,
                                     double share, std::span<const std::int64_t> lengths, const PathChoice& choice);

}  // namespace convert
