// SPDX-License-Identifier: MIT
// Turns algorithms around: a gather played backwards on a network whose links lead the other way reduces.
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/moves.h"

namespace convert {

// Returns the problem whose solution mirrored() makes one of a reduce_scatter, reduce or gather: an all_gather, a
// broadcast or a scatter on the reversed graph.
[[nodiscard]] SynthesisProblem opposite_of(const SynthesisProblem& problem);

// Holds moves played backwards, the last one first, and by position in its links the position forwards.
struct Backwards {
  Moves moves{};
  std::vector<std::uint32_t> forwards{};
};
[[nodiscard]] Backwards backwards(const Moves& from);

// Returns a solution of opposite_of(problem) played backwards: a hop from s to e becomes one from T - e to T - s, a
// copy a reduction (of a gather it stays one). Hops keep their distance on each link, whatever keeps it busy, since
// its latency is the same for all.
[[nodiscard]] TimedMoves mirrored(const SynthesisProblem& problem, const TimedMoves& made);

// Returns the moves of an all-reduce: those of a reduce-scatter, then those of an all-gather of the same pieces,
// which wait for the sums.
[[nodiscard]] Moves joined_moves(const Moves& scattered, const Moves& gathered);

// Returns for how many others the messages of that all-gather would wait: those that send a sum, each for all that
// bring parts of it. `turned`: the solution of the opposite problem that is to be the reduce-scatter.
[[nodiscard]] std::uint64_t joined_waits(const Moves& turned, const Moves& gathered);

// Returns an all-reduce: `scattered`, a reduce-scatter, then `gathered`, an all-gather of the same pieces, whose
// links begin as soon as order and arrivals let them.
[[nodiscard]] TimedMoves joined(const SynthesisProblem& problem, const TimedMoves& scattered,
                                const TimedMoves& gathered);

}  // namespace convert
