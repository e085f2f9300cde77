// SPDX-License-Identifier: MIT
// Assigns times to moves by list scheduling: each link serves the first ready move in an order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/moves.h"

namespace convert {

// Which of several ready messages a link serves first.
enum class ServeOrder : std::uint8_t {
  farthest,  // the message with the longest remaining route, including everything that follows it
  pieces,    // by chunk: chunks of all owners and trees interleaved, in the order of Moves::pieces
  heaviest,  // the message with the most dependent link time
};
inline constexpr ServeOrder serve_orders[] = {ServeOrder::farthest, ServeOrder::pieces, ServeOrder::heaviest};

// Returns the moves with times, in integer picoseconds. Data that arrives at a time can leave at that time; among
// equals, the lower move goes first. With cut-through devices, message heads and link shares equal the ones in the
// network model `links` (simulate/networks/wires.cpp), except for its order of events within one picosecond, which
// is not known here. `rank` of a chunk is its position in the order `pieces`; empty: its number.
[[nodiscard]] TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves, ServeOrder order,
                                       std::span<const double> rank = {});

// Does the same, but of the ready moves, the hop with the largest key goes first. `keys`: by position in
// Moves::links.
[[nodiscard]] TimedMoves list_schedule_by(const SynthesisProblem& problem, Moves moves, std::vector<double> keys);
// Does the same in another order: the ready move with the earliest start in `starts` (by position in Moves::links).
[[nodiscard]] TimedMoves list_schedule(const SynthesisProblem& problem, Moves moves,
                                       std::span<const Picoseconds> starts);

// Returns timed moves with their times in `problem`, whose devices may forward differently: each link keeps its
// order.
[[nodiscard]] TimedMoves retimed(const SynthesisProblem& problem, TimedMoves made);

// Returns the best schedule of all orders, the first among equals.
[[nodiscard]] TimedMoves best_schedule(const SynthesisProblem& problem, const Moves& moves,
                                       std::span<const double> rank = {});

}  // namespace convert
