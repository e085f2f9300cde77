// SPDX-License-Identifier: MIT
// Makes an all-gather by matching, at each moment, idle links with pieces that their far end lacks.
//
// The idea of matching on the time-expanded network is that of TACOS (Won et al., MICRO 2024, arXiv 2304.05301).
// Links into different NPUs never compete, so each NPU matches its own when something changes there. What is on its
// way to an NPU is not sent there again, so that each piece comes once, and no piece leaves before it has come.
#pragma once

#include <cstdint>
#include <optional>

#include "synthesis/moves.h"

namespace convert {

struct GreedyChoice {
  std::uint32_t pieces = 1;  // of a participant's part
  Picoseconds deadline = 0;  // no link is used that would deliver later; 0: none
  std::uint64_t seed = 1;    // of which pieces are looked at
};

// Returns whether all devices are NPUs that take part, and each has a part for all others.
[[nodiscard]] bool can_match_greedily(const SynthesisProblem& problem);

// Returns the all-gather of such a problem; nothing where the deadline leaves pieces behind. Memory: 8 bytes for
// each piece and NPU.
[[nodiscard]] std::optional<TimedMoves> match_greedily(const SynthesisProblem& problem, const GreedyChoice& choice);

}  // namespace convert
