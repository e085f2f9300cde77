// SPDX-License-Identifier: MIT
// Reverses algorithms: a gather run backwards on a network with reversed links is a reduction.
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/moves.h"

namespace convert {

// Returns the opposite problem of a reduce_scatter, reduce or gather: an all_gather, a broadcast or a scatter on
// the reversed graph. mirrored() turns its solution into a solution of `problem`.
[[nodiscard]] SynthesisProblem opposite_of(const SynthesisProblem& problem);

// Moves in reverse, the last one first; and, by position in their links, the position in the original moves.
struct Backwards {
  Moves moves{};
  std::vector<std::uint32_t> forwards{};
};
[[nodiscard]] Backwards backwards(const Moves& from);

// Returns a reversed solution of opposite_of(problem): a hop from s to e becomes one from T - e to T - s, a copy
// becomes a reduction (for a gather it stays a copy). Hops keep their distance on each link, for either occupancy,
// since all hops of a link have the same latency.
[[nodiscard]] TimedMoves mirrored(const SynthesisProblem& problem, const TimedMoves& made);

// Returns the moves of an all-reduce: a reduce-scatter, then an all-gather of the same chunks, which waits for the
// sums.
[[nodiscard]] Moves joined_moves(const Moves& scattered, const Moves& gathered);

// Returns the total number of moves that the messages of that all-gather would wait for: each message that sends a
// sum waits for all that bring its contributions. `turned`: the solution of the opposite problem that is to become
// the reduce-scatter.
[[nodiscard]] std::uint64_t joined_waits(const Moves& turned, const Moves& gathered);

// Returns an all-reduce: `scattered`, a reduce-scatter, then `gathered`, an all-gather of the same chunks. Its
// links begin as soon as order and arrivals allow.
[[nodiscard]] TimedMoves joined(const SynthesisProblem& problem, const TimedMoves& scattered,
                                const TimedMoves& gathered);

}  // namespace convert
