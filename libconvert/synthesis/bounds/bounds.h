// SPDX-License-Identifier: MIT
// Exact lower bounds of the time of a collective on a network, each with its proof.
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
  latency,    // the longest of the shortest routes, by latency, from a participant to one that depends on it
  bandwidth,  // the worst cut, which schedules approach with enough bytes; of all-to-all: lengths
  two_phase,  // of an all-reduce as a reduce-scatter and then an all-gather with equal shards
  cut,        // of an all-reduce: the whole buffer must cross each cut between participants; of all-to-all: a bad
              // cut
  traffic,    // of an all-reduce: 2(N-1) messages for each byte between participants, as switches do not reduce
  together,   // the longest of the worst cuts and of single participants, with the latency of each link
  slots,      // links are busy until messages arrive, and shards are not split (all-gather, reduce-scatter)
};

// `parts` shards of `part_bytes` each must cross links.
struct Crossing {
  std::vector<Device> devices{};  // the links lead out of these devices; empty: all links into (`into`) or out of
                                  // participants
  bool into = false;
  std::vector<std::uint32_t> links{};  // of the problem's graph, ascending
  std::int64_t parts = 0;
  std::int64_t part_bytes = 0;
  std::int64_t bandwidth = 0;  // of the links, in units of the graph
};

struct Bound {
  BoundKind kind = BoundKind::latency;
  bool limits = true;                               // whether it holds for every schedule; else only for the
                                                    // schedules that `kind` describes
  Picoseconds time = 0;                             // rounded down
  std::optional<std::pair<Device, Device>> ends{};  // of latency
  std::vector<Crossing> crossings{};                // their times add up; at most two
  std::optional<LengthBound> lengths{};             // of an all-to-all's bandwidth
};

struct Bounds {
  std::vector<Bound> all{};  // in the order of BoundKind; only the bounds that the collective has
  Picoseconds lower = 0;     // the largest bound that holds for every schedule
  std::uint32_t flows = 0;   // number of maximum flows computed

  [[nodiscard]] const Bound* find(BoundKind kind) const;
};

[[nodiscard]] std::string_view name(BoundKind kind);  // "two_phase"

// Returns microseconds for each byte of a shard, exactly: shards over the bandwidth of the links in MB/s.
[[nodiscard]] Fraction us_per_byte(const LinkGraph& graph, const Crossing& crossing);

// Lowers the bounds that hold for every schedule to the time of a shorter schedule, since a replay rounds each
// message to a picosecond. `messages`: of the busiest link. Throws Error if rounding by half a picosecond for each
// message does not explain the difference.
void allow_rounding(Bounds& bounds, Picoseconds total, std::size_t messages);

// Returns the bounds of a problem; they are 0 for one participant. Throws Error(input) in the cases of
// worst_gather_cut().
[[nodiscard]] Bounds find_bounds(const SynthesisProblem& problem);

}  // namespace convert
