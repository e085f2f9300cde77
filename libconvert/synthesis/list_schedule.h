// SPDX-License-Identifier: MIT
// Gives moves their times: each link serves, of what is ready, the first in an order (list scheduling).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/moves.h"

namespace convert {

// Which of several messages that are ready takes a link first.
enum class ServeOrder : std::uint8_t {
  farthest,  // the one with the longest way still to go, with all that follows it
  pieces,    // by piece: those of all owners and trees interleaved, as Moves::pieces stands
  heaviest,  // the one on which most link time still hangs
};
inline constexpr ServeOrder serve_orders[] = {ServeOrder::farthest, ServeOrder::pieces, ServeOrder::heaviest};

// Returns the moves with times, in integer picoseconds. What arrives at a time can leave at that time; of equals
// the lower move goes first. Where devices cut through, heads and shares of links are those of the network model
// links (simulate/networks/wires.cpp), but for what happens in an order there that nobody knows here, in one
// picosecond. `rank` of a piece is its place in the order `pieces`; empty: its number.
[[nodiscard]] TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves, ServeOrder order,
                                       std::span<const double> rank = {});

// Returns the same where of what is ready the hop of the largest key goes first. `keys`: by position in
// Moves::links.
[[nodiscard]] TimedMoves list_schedule_by(const SynthesisProblem& problem, Moves moves, std::vector<double> keys);
// Returns the same in another order: of what is ready, the first by its start here (by position in Moves::links).
[[nodiscard]] TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves,
                                       std::span<const Picoseconds> starts);

// Returns moves that have times with those that they have in `problem`, whose devices may forward otherwise: each
// link keeps its order.
[[nodiscard]] TimedMoves retimed(const SynthesisProblem& problem, TimedMoves made);

// Returns the best of all orders, the first of equals.
[[nodiscard]] TimedMoves best_schedule(const SynthesisProblem& problem, const Moves& moves,
                                       std::span<const double> rank = {});

}  // namespace convert
