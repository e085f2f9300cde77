// SPDX-License-Identifier: MIT
// Builds an all-gather by matching, at each moment, idle links with chunks that their receiver lacks.
//
// The idea of matching on the time-expanded network is from TACOS (Won et al., MICRO 2024, arXiv 2304.05301). Links
// into different NPUs never compete, so each NPU matches its own links when their state changes. A chunk on its way
// to an NPU is not sent there again, so each chunk arrives once, and no chunk leaves before it has arrived.
// way to an NPU is not sent there again, so that each piece comes once, and no piece leaves before it has come.
#pragma once

#include <cstdint>
#include <optional>

#include "synthesis/moves.h"

namespace convert {

struct GreedyChoice {
  std::uint32_t pieces = 1;  // chunks of a participant's shard
  Picoseconds deadline = 0;  // links that would deliver later are not used; 0: no deadline
  std::uint64_t seed = 1;    // of the choice of examined chunks
};

// Returns whether all devices are participating NPUs, and each has a shard for all others.
[[nodiscard]] bool can_match_greedily(const SynthesisProblem& problem);

// Returns the all-gather of such a problem; nothing if chunks are missing at the deadline. Memory: 8 bytes for each
// chunk and NPU.
[[nodiscard]] std::optional<TimedMoves> match_greedily(const SynthesisProblem& problem, const GreedyChoice& choice);

}  // namespace convert
