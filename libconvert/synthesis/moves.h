// SPDX-License-Identifier: MIT
// Result of a synthesis method: which chunk moves from NPU to NPU, over which links, and after which moves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/trace.h"
#include "synthesis/problem.h"

namespace convert {

// A chunk of a participant's shard. It begins at `owner`, or is reduced there; in an all-to-all it goes to `other`.
struct Piece {
  Device owner = 0;
  Device other = 0;
  std::int64_t bytes = 0;
};

// A message with one chunk.
struct Move {
  std::uint32_t piece = 0;
  Device from = 0;  // NPUs
  Device to = 0;
  Range way{};      // into Moves::links, at least one; the devices between them are switches and non-participants
  Range parents{};  // into Moves::parents: moves that must have arrived at `from` before
  Schedule::Op op = Schedule::Op::copy;
};

// All moves of an algorithm. Parents precede their children. Every chunk arrives at each NPU at most once, or, in
// reductions, leaves it at most once.
struct Moves {
  std::vector<Piece> pieces{};
  std::vector<Move> moves{};
  std::vector<std::uint32_t> links{};  // indices into the problem's graph
  std::vector<std::uint32_t> parents{};

  [[nodiscard]] std::span<const std::uint32_t> way_of(const Move& m) const {
    return {links.data() + m.way.begin, m.way.count};
  }
  [[nodiscard]] std::span<const std::uint32_t> parents_of(const Move& m) const {
    return {parents.data() + m.parents.begin, m.parents.count};
  }
  // Adds a move over one link, after `parent` unless it is no_index. Returns the move's number.
  std::uint32_t add(const LinkGraph& graph, std::uint32_t piece, std::uint32_t link, std::uint32_t parent);
};

// Moves with the time at which each begins on each link of its route.
struct TimedMoves {
  Moves moves{};
  std::vector<Picoseconds> starts{};   // by position in Moves::links
  std::vector<std::uint32_t> turns{};  // with cut-through devices, whose links may carry several messages at once:
                                       // by the same position, its sequence number among all; empty: by `starts`
  Picoseconds total = 0;               // when the last move has arrived
  std::string method{};                // "greedy, 4 pieces"
};

// sending_ps() returns how long the bytes occupy a link without latency, rounded as in replays. hop_time() returns
// the time until they have arrived, and the time for which they occupy the link under the problem's occupancy. Each
// is at least 1 ps.
[[nodiscard]] Picoseconds sending_ps(const LinkGraph& graph, const LinkGraph::Link& link, std::int64_t bytes);
struct HopTime {
  Picoseconds arrival = 0;
  Picoseconds busy = 0;
};
[[nodiscard]] HopTime hop_time(const SynthesisProblem& problem, std::uint32_t link, std::int64_t bytes);

// Returns the size of each of `count` chunks of a shard. Sizes differ by at most one byte.
[[nodiscard]] std::vector<std::int64_t> piece_sizes(std::int64_t bytes, std::int64_t count);

// Returns the moves as a schedule with the network and its links; its chunks are numbered by owner. The times must
// belong to a problem with store-and-forward devices.
[[nodiscard]] Schedule schedule_of(const SynthesisProblem& problem, const TimedMoves& made);

}  // namespace convert
