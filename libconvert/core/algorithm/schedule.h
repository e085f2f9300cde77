// SPDX-License-Identifier: MIT
// Time-expanded-network schedule of a collective: which chunk moves over which link, and when (et-formats(5)).
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

// Exclusive limit of a schedule's duration: 53 days, so that the sum of two times does not overflow.
inline constexpr Picoseconds most_schedule_ps = 4'600'000'000'000'000'000;

// Nodes are numbered 0 … nodes-1. They are NPUs and relays, which forward chunks: NPUs that do not take part, or
// switches in a schedule that does not distinguish them. Other switches are devices nodes … nodes+switches-1; links
// lead to and from them, and transfers pass through them.
struct Schedule {
  // Meaning of start and end of a transfer.
  enum class Time : std::uint8_t {
    continuous,  // picoseconds
    steps,       // step numbers: [start, end)
    order,       // start is the position on its link; end is unused
  };
  // Time for which a transfer occupies its link: until it has arrived, or only while its bytes are sent.
  enum class Occupancy : std::uint8_t { alpha_beta, beta };

  struct NodeSet {
    bool all = false;  // all nodes except relays
    Range of{};        // else these nodes of `members`, ascending
  };
  struct Chunk {
    std::int64_t id = 0;
    std::optional<std::int64_t> bytes{};  // nothing: chunk_bytes
    NodeSet pre;                          // nodes that hold it at the beginning; in reductions, nodes that
                                          // contribute to it
    NodeSet post;                         // nodes that must hold it at the end
    std::uint32_t line = 0;
  };
  struct Wire {
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    double bandwidth_gib_per_s = 0;  // 0: not recorded
    double latency_us = 0;
    std::uint32_t rounds = 1;  // maximum number of transfers on it in one step; 0: no limit
    std::uint32_t line = 0;
  };
  enum class Op : std::uint8_t { copy, reduce };
  // A link on the route of a transfer through switches.
  struct Hop {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t id = 0;
    std::uint32_t to = 0;  // device at its end
    std::uint32_t line = 0;
  };
  struct Transfer {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t id = 0;
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::uint32_t chunk = 0;  // index into chunks; the first one if there are several
    Range more{};             // into `carried`: the other chunks in the same message
    Range way{};              // into `hops`; empty: the link from src to dst
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
  std::optional<Picoseconds> step_ps;     // duration of a step, with Time::steps
  std::optional<Picoseconds> claimed_ps;  // duration of the collective according to the file
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> carried;  // indices into chunks: chunks of transfers after their first one
  std::vector<Hop> hops;
  std::string network;     // network_id() of its network if the file records it; else its links identify the
                           // network
  std::string forwarding;  // "store" if the file records it
  std::string meta;        // JSON object as written; may be empty
  bool wires_told = true;  // else the links are those that transfers use
};

[[nodiscard]] std::string_view name(Schedule::Time t);       // "continuous"
[[nodiscard]] std::string_view name(Schedule::Occupancy o);  // "alpha_beta"
// Returns whether a schedule can have this collective, one of schedule_collectives.
[[nodiscard]] bool in_schedules(Collective c);
// Returns the collective of exactly this name if a schedule can have it; else nothing.
[[nodiscard]] std::optional<Collective> parse_schedule_collective(std::string_view text);
inline constexpr std::string_view schedule_collectives =
    "all_gather, reduce_scatter, all_reduce, broadcast, reduce, gather, scatter, all_to_all, custom";

// Return whether a node is a relay, whether a set contains a node, and the size of a set.
[[nodiscard]] bool is_relay(const Schedule& s, std::uint32_t node);
[[nodiscard]] bool contains(const Schedule& s, const Schedule::NodeSet& set, std::uint32_t node);
[[nodiscard]] std::uint32_t size_of(const Schedule& s, const Schedule::NodeSet& set);
// Returns the number of nodes in both sets.
[[nodiscard]] std::uint32_t common(const Schedule& s, const Schedule::NodeSet& a, const Schedule::NodeSet& b);
// Returns the members of a set without `all`.
[[nodiscard]] inline std::span<const std::uint32_t> listed(const Schedule& s, const Schedule::NodeSet& set) {
  return {s.members.data() + set.of.begin, set.of.count};
}
// Return the number of chunks of a transfer, and its k-th chunk.
[[nodiscard]] inline std::uint32_t chunk_count(const Schedule::Transfer& t) { return 1 + t.more.count; }
[[nodiscard]] inline std::uint32_t chunk_at(const Schedule& s, const Schedule::Transfer& t, std::uint32_t k) {
  return k == 0 ? t.chunk : s.carried[t.more.begin + k - 1];
}
// Number all chunks of all transfers: first the first chunk of each transfer, then `carried`.
[[nodiscard]] inline std::size_t cargo_count(const Schedule& s) { return s.transfers.size() + s.carried.size(); }
[[nodiscard]] inline std::size_t cargo_at(const Schedule& s, std::uint32_t transfer, std::uint32_t k) {
  return k == 0 ? transfer : s.transfers.size() + s.transfers[transfer].more.begin + k - 1;
}
[[nodiscard]] inline std::uint32_t devices(const Schedule& s) { return s.nodes + s.switches; }
// One link of a transfer's route.
struct Leg {
  std::uint32_t transfer = 0;
  std::uint32_t hop = 0;  // position on the route, from 0
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
// Return the bytes of a chunk, and of all chunks of a transfer; nothing if the schedule does not record them.
[[nodiscard]] std::optional<std::int64_t> bytes_of(const Schedule& s, std::uint32_t chunk);
[[nodiscard]] std::optional<std::int64_t> bytes_of(const Schedule& s, const Schedule::Transfer& t);
// Return the picoseconds to send `bytes` on a link (0 if its bandwidth is not recorded), and the picoseconds until
// they arrive, with the latency.
[[nodiscard]] double serialization_ps(const Schedule::Wire& wire, std::int64_t bytes);
[[nodiscard]] inline double hop_ps(const Schedule::Wire& wire, std::int64_t bytes) {
  return wire.latency_us * static_cast<double>(ps_per_us) + serialization_ps(wire, bytes);
}
// Returns a link of a network. Its GiB/s are rounded to few digits if this changes the rate by rounding error only.
[[nodiscard]] Schedule::Wire make_schedule_wire(std::uint32_t src, std::uint32_t dst, double bytes_per_ns,
                                                Picoseconds latency_ps);
// Returns the nearest picosecond, at most 26 days.
[[nodiscard]] Picoseconds rounded_ps(double ps);
// Returns the chunk ids of a transfer, in its order, as runs of consecutive ids.
struct IdRun {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
[[nodiscard]] std::vector<IdRun> chunk_runs(const Schedule& s, const Schedule::Transfer& t);
// Returns "transfer 7 (chunk 3, 0->1)", or "transfer 7 (chunks 0-3,6, 0->1)". Only the first runs are shown.
[[nodiscard]] std::string describe(const Schedule& s, const Schedule::Transfer& t);
// Returns the description of a leg, with its ends and its id.
[[nodiscard]] std::string describe(const Schedule& s, const Leg& leg);
// Returns the id of the network that a schedule is for; empty if its links are not recorded.
[[nodiscard]] std::string network_of_schedule(const Schedule& s);

// Index of links by their ends. find() returns the link's index, or no_index if it is not found.
class WireIndex {
 public:
  explicit WireIndex(const Schedule& s);
  [[nodiscard]] std::uint32_t find(std::uint32_t src, std::uint32_t dst) const;

 private:
  Rows wires_;                      // by src, ascending by dst
  std::vector<std::uint32_t> dst_;  // by item of wires_
};

}  // namespace convert
