// SPDX-License-Identifier: MIT
// Selects routes for point-to-point data, as in an all-to-all, so that no link carries much more than its share.
//
// Routes are selected one after the other, as shortest routes by lengths that rise exponentially with the load of a
// link, as for trees (trees/growth.h). Then routes over overloaded links are removed and selected again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/trees/packing.h"

namespace convert {

// A shard from an NPU to another.
struct Commodity {
  Device from = 0;
  Device to = 0;
};

// Returns the commodities of an all_to_all, a scatter or a gather: by source, then destination; of an all_to_all in
// rounds. In round k, each NPU sends to the NPU that follows it at distance k.
[[nodiscard]] std::vector<Commodity> commodities_of(const SynthesisProblem& problem);

// Adds the moves of a chunk along its links, from NPU to NPU.
void add_path(const LinkGraph& graph, std::span<const std::uint32_t> path, std::uint32_t piece, Moves& m);

struct PathChoice {
  std::uint32_t pieces = 1;  // chunks of a shard, each with its own route
  std::uint32_t passes = 6;  // maximum number of passes that remove and select again
  std::uint64_t seed = 1;    // of the order in which routes are selected
  bool shortest = false;     // by the time of a chunk, independent of the load
};

// Returns the moves of all chunks, from NPU to NPU, and the order of chunks: by round. `share`: the shards that a
// link of bandwidth 1 can carry within the bound. `lengths`: link lengths that bound the collective most, or empty.
// Non-participants are passed according to the problem.
[[nodiscard]] TreeMoves choose_paths(const SynthesisProblem& problem, std::span<const Commodity> commodities,
                                     double share, std::span<const std::int64_t> lengths, const PathChoice& choice);

}  // namespace convert
