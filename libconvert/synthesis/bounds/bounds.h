// SPDX-License-Identifier: MIT
// Bounds the time of a collective on a network from below, exactly, each with what proves it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synthesis/bounds/all_to_all.h"
#include "synthesis/bounds/cuts.h"
#include "synthesis/problem.h"

namespace convert {

enum class BoundKind : std::uint8_t {
  latency,    // the longest of the shortest ways, by latency, from a participant to one that must hear of it
  bandwidth,  // the worst cut: schedules come as near as one likes to it, with enough bytes; of all-to-all: lengths
  two_phase,  // of an all-reduce that is a reduce-scatter and then an all-gather, of equal shards
  cut,        // of an all-reduce: all there is must cross each cut between participants; of all-to-all: a bad one
  traffic,    // of an all-reduce: 2(N-1) messages for each byte between participants, as none reduces on the way
  together,   // the longest of the worst cuts, and of single participants, with the latency of each link
  slots,      // links are busy until messages have arrived, and shards are whole (all-gather, reduce-scatter)
};

// So many parts, of so many bytes each, must cross links.
struct Crossing {
  std::vector<Device> devices{};  // out of which the links lead; empty: these are all that lead to participants
                                  // (`into`), or from them
  bool into = false;
  std::vector<std::uint32_t> links{};  // of the graph of the problem, ascending
  std::int64_t parts = 0;
  std::int64_t part_bytes = 0;
  std::int64_t bandwidth = 0;  // of the links, in units of the graph
};

struct Bound {
  BoundKind kind = BoundKind::latency;
  bool limits = true;                               // every schedule; else those of which `kind` tells
  Picoseconds time = 0;                             // rounded down
  std::optional<std::pair<Device, Device>> ends{};  // of latency
  std::vector<Crossing> crossings{};                // that take as long one after the other; at most two
  std::optional<LengthBound> lengths{};             // of an all-to-all's bandwidth
};

struct Bounds {
  std::vector<Bound> all{};  // in the order of BoundKind; those that the collective has
  Picoseconds lower = 0;     // the largest that limits every schedule
  std::uint32_t flows = 0;   // how many largest flows were found

  [[nodiscard]] const Bound* find(BoundKind kind) const;
};

[[nodiscard]] std::string_view name(BoundKind kind);  // "two_phase"

// Returns microseconds for each byte of a part, exactly: parts over the bandwidth of the links in MB/s.
[[nodiscard]] Fraction us_per_byte(const LinkGraph& graph, const Crossing& crossing);

// Lowers bounds of every schedule to the time of a shorter schedule, since a replay rounds each message to a
// picosecond. `messages`: of the busiest link. Throws Error if rounding of half a picosecond for each
// message does not explain the difference.
void allow_rounding(Bounds& bounds, Picoseconds total, std::size_t messages);

// Returns the bounds of a problem; of one participant they are 0. Throws Error(input) where worst_gather_cut()
// does.
[[nodiscard]] Bounds find_bounds(const SynthesisProblem& problem);

}  // namespace convert
