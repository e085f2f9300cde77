// SPDX-License-Identifier: MIT
// Holds what a maker of algorithms makes: which piece of data moves from NPU to NPU over which links, after what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/trace.h"
#include "synthesis/problem.h"

namespace convert {

// A piece of a participant's part. It begins at `owner` (or is summed up there, of reductions); of an all-to-all it
// goes to `other`.
struct Piece {
  Device owner = 0;
  Device other = 0;
  std::int64_t bytes = 0;
};

// A message of a piece.
struct Move {
  std::uint32_t piece = 0;
  Device from = 0;  // NPUs
  Device to = 0;
  Range way{};      // into Moves::links, one or more; switches and NPUs that do not take part lie between them
  Range parents{};  // into Moves::parents: moves that must have come to `from` before
  Schedule::Op op = Schedule::Op::copy;
};

// All moves of an algorithm. Parents stand before their children. Every piece comes to each NPU at most once, or,
// of reductions, leaves it once.
struct Moves {
  std::vector<Piece> pieces{};
  std::vector<Move> moves{};
  std::vector<std::uint32_t> links{};  // of the problem's graph
  std::vector<std::uint32_t> parents{};

  [[nodiscard]] std::span<const std::uint32_t> way_of(const Move& m) const {
    return {links.data() + m.way.begin, m.way.count};
  }
  [[nodiscard]] std::span<const std::uint32_t> parents_of(const Move& m) const {
    return {parents.data() + m.parents.begin, m.parents.count};
  }
  // Adds a move over one link, after `parent` unless that is no_index; returns its number.
  std::uint32_t add(const LinkGraph& graph, std::uint32_t piece, std::uint32_t link, std::uint32_t parent);
};

// Moves with the time at which each begins on each link of its way.
struct TimedMoves {
  Moves moves{};
  std::vector<Picoseconds> starts{};   // by position in Moves::links
  std::vector<std::uint32_t> turns{};  // by the same position: its place among all, where switches cut through: a
                                       // link may take several at once there; empty: by `starts`
  Picoseconds total = 0;               // when the last one has arrived
  std::string method{};                // "greedy, 4 pieces"
};

// Returns how long bytes keep a link busy by themselves, rounded as replays round it; and how long it takes until
// they have arrived, and how long they keep the link, by the occupancy of the problem, each at least 1 ps.
[[nodiscard]] Picoseconds sending_ps(const LinkGraph& graph, const LinkGraph::Link& link, std::int64_t bytes);
struct HopTime {
  Picoseconds arrival = 0;
  Picoseconds busy = 0;
};
[[nodiscard]] HopTime hop_time(const SynthesisProblem& problem, std::uint32_t link, std::int64_t bytes);

// Returns the size of each of `count` pieces of a part: they differ by a byte at most.
[[nodiscard]] std::vector<std::int64_t> piece_sizes(std::int64_t bytes, std::int64_t count);

// Returns the same as a schedule, with the network, its links, and the pieces as chunks: those of an owner in turn.
// The times must be those of a problem whose devices store what comes.
[[nodiscard]] Schedule schedule_of(const SynthesisProblem& problem, const TimedMoves& made);

}  // namespace convert
