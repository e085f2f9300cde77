// SPDX-License-Identifier: MIT
// Holds a time-expanded-network schedule of a collective: which chunk moves over which wire, when (et-formats(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/rows.h"
#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Schedules take less than this: 53 days, so that the sum of two times does not overflow.
inline constexpr Picoseconds most_schedule_ps = 4'600'000'000'000'000'000;

// Nodes are numbered 0 … nodes-1: NPUs, and relays, which pass chunks on (NPUs that do not take part; where a
// schedule knows no better, switches). Switches that are no nodes follow as devices nodes … nodes+switches-1: wires
// lead to and from them, and transfers through them.
struct Schedule {
  // What start and end of a transfer are.
  enum class Time : std::uint8_t {
    continuous,  // picoseconds
    steps,       // numbers of steps: [start, end)
    order,       // start is the position on its wire, end means nothing
  };
  // How long a transfer keeps its wire: until it has arrived, or only while its bytes go out.
  enum class Occupancy : std::uint8_t { alpha_beta, beta };

  struct NodeSet {
    bool all = false;  // every node that is no relay
    Range of{};        // else these of `members`, ascending
  };
  struct Chunk {
    std::int64_t id = 0;
    std::optional<std::int64_t> bytes{};  // none: chunk_bytes
    NodeSet pre;                          // hold it at the beginning; of reductions, contribute to it
    NodeSet post;                         // must hold it at the end
    std::uint32_t line = 0;
  };
  struct Wire {
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    double bandwidth_gib_per_s = 0;  // 0: not told
    double latency_us = 0;
    std::uint32_t rounds = 1;  // how many transfers may use it in one step; 0: any number
    std::uint32_t line = 0;
  };
  enum class Op : std::uint8_t { copy, reduce };
  // A wire on the way of a transfer through switches.
  struct Hop {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t id = 0;
    std::uint32_t to = 0;  // the device at its end
    std::uint32_t line = 0;
  };
  struct Transfer {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t id = 0;
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::uint32_t chunk = 0;  // index into chunks; of several, the first
    Range more{};             // the others that it carries in the same message, into `carried`
    Range way{};              // into `hops`; none: the wire from src to dst
    Op op = Op::copy;
    std::uint32_t line = 0;
  };

  std::string file;  // for messages
  std::string name;
  Collective collective = Collective::custom;
  std::optional<std::int64_t> chunk_bytes;
  std::uint32_t nodes = 0;
  std::uint32_t switches = 0;
  std::vector<std::uint32_t> relays;  // ascending
  std::vector<Wire> wires;
  std::vector<Chunk> chunks;
  std::vector<std::uint32_t> members;  // the nodes of all NodeSets
  Time time = Time::continuous;
  Occupancy occupancy = Occupancy::alpha_beta;
  std::optional<Picoseconds> step_ps;     // how long a step takes, with Time::steps
  std::optional<Picoseconds> claimed_ps;  // how long the file says that the collective takes
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> carried;  // indices into chunks: what transfers carry beside their first one
  std::vector<Hop> hops;
  std::string network;     // network_id() of what it was made for, if its maker says so; else its wires tell
  std::string forwarding;  // "store" if its maker says so
  std::string meta;        // JSON object, as written; empty: none
  bool wires_told = true;  // else the wires are those that transfers use
};

[[nodiscard]] std::string_view name(Schedule::Time t);       // "continuous"
[[nodiscard]] std::string_view name(Schedule::Occupancy o);  // "alpha_beta"
// Returns whether a schedule can be of this collective, one of schedule_collectives.
[[nodiscard]] bool in_schedules(Collective c);
// Returns the collective of exactly this name that a schedule can be of; nothing if there is none.
[[nodiscard]] std::optional<Collective> parse_schedule_collective(std::string_view text);
inline constexpr std::string_view schedule_collectives =
    "all_gather, reduce_scatter, all_reduce, broadcast, reduce, gather, scatter, all_to_all, custom";

// Return whether a node is a relay; whether a set has a node; how many it has.
[[nodiscard]] bool is_relay(const Schedule& s, std::uint32_t node);
[[nodiscard]] bool contains(const Schedule& s, const Schedule::NodeSet& set, std::uint32_t node);
[[nodiscard]] std::uint32_t size_of(const Schedule& s, const Schedule::NodeSet& set);
// Returns how many nodes are in both sets.
[[nodiscard]] std::uint32_t common(const Schedule& s, const Schedule::NodeSet& a, const Schedule::NodeSet& b);
// Returns the members of a set that is not `all`.
[[nodiscard]] inline std::span<const std::uint32_t> listed(const Schedule& s, const Schedule::NodeSet& set) {
  return {s.members.data() + set.of.begin, set.of.count};
}
// Returns how many chunks a transfer carries; its k-th one.
[[nodiscard]] inline std::uint32_t chunk_count(const Schedule::Transfer& t) { return 1 + t.more.count; }
[[nodiscard]] inline std::uint32_t chunk_at(const Schedule& s, const Schedule::Transfer& t, std::uint32_t k) {
  return k == 0 ? t.chunk : s.carried[t.more.begin + k - 1];
}
// Number all that is on its way: the first chunk of each transfer, then what is in `carried`.
[[nodiscard]] inline std::size_t cargo_count(const Schedule& s) { return s.transfers.size() + s.carried.size(); }
[[nodiscard]] inline std::size_t cargo_at(const Schedule& s, std::uint32_t transfer, std::uint32_t k) {
  return k == 0 ? transfer : s.transfers.size() + s.transfers[transfer].more.begin + k - 1;
}
[[nodiscard]] inline std::uint32_t devices(const Schedule& s) { return s.nodes + s.switches; }
// Holds the part of a transfer on one wire.
struct Leg {
  std::uint32_t transfer = 0;
  std::uint32_t hop = 0;  // of its way, from 0
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int32_t id = 0;
  std::uint32_t line = 0;
};
[[nodiscard]] inline std::uint32_t leg_count(const Schedule::Transfer& t) {
  return t.way.count == 0 ? 1 : t.way.count;
}
[[nodiscard]] Leg leg_at(const Schedule& s, std::uint32_t transfer, std::uint32_t hop);
// Return the bytes of a chunk, and of all that a transfer carries; nothing if the schedule does not tell.
[[nodiscard]] std::optional<std::int64_t> bytes_of(const Schedule& s, std::uint32_t chunk);
[[nodiscard]] std::optional<std::int64_t> bytes_of(const Schedule& s, const Schedule::Transfer& t);
// Return the picoseconds that so many bytes take to go out on a wire (0 if its bandwidth is not told), and those
// until they have arrived, with the latency.
[[nodiscard]] double serialization_ps(const Schedule::Wire& wire, std::int64_t bytes);
[[nodiscard]] inline double hop_ps(const Schedule::Wire& wire, std::int64_t bytes) {
  return wire.latency_us * static_cast<double>(ps_per_us) + serialization_ps(wire, bytes);
}
// Returns a wire of a network; its GiB/s are a number with few digits where that is the same but for rounding.
[[nodiscard]] Schedule::Wire make_schedule_wire(std::uint32_t src, std::uint32_t dst, double bytes_per_ns,
                                                Picoseconds latency_ps);
// Returns the nearest picosecond, at most 26 days.
[[nodiscard]] Picoseconds rounded_ps(double ps);
// Returns the ids of the chunks of a transfer, in its order, as runs of consecutive ones.
struct IdRun {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
[[nodiscard]] std::vector<IdRun> chunk_runs(const Schedule& s, const Schedule::Transfer& t);
// Returns "transfer 7 (chunk 3, 0->1)", or "transfer 7 (chunks 0-3,6, 0->1)", of many runs only the first.
[[nodiscard]] std::string describe(const Schedule& s, const Schedule::Transfer& t);
// Returns the same of a leg, with its ends and its id.
[[nodiscard]] std::string describe(const Schedule& s, const Leg& leg);
// Returns the id of the network that a schedule is for; empty if it does not tell its wires.
[[nodiscard]] std::string network_of_schedule(const Schedule& s);

// Finds wires by their ends; find() returns the index, no_index if there is none.
class WireIndex {
 public:
  explicit WireIndex(const Schedule& s);
  [[nodiscard]] std::uint32_t find(std::uint32_t src, std::uint32_t dst) const;

 private:
  Rows wires_;                      // by src, in the order of dst
  std::vector<std::uint32_t> dst_;  // of each of their items
};

}  // namespace convert
