// SPDX-License-Identifier: MIT
// Finds why a replay could not go on: which nodes wait for what, cycles of them, and what to change in traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/engine/waiter.h"
#include "simulate/networks/link_order.h"
#include "simulate/program/program.h"

namespace convert {

class JsonWriter;
class Channels;
class SystemState;

struct NodeRef {
  Rank rank = 0;
  NodeId node = 0;
  std::optional<NodeId> inner{};  // of the custom algorithm by which `node`, a collective, runs
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

struct WaitingNode {
  enum class For : std::uint8_t {
    dependency,  // `on` has not ended
    slot,        // `on` holds the resource that the node needs
    send,        // a posted receive; the matching send `on` has not started
    receive,     // a send with rendezvous; the matching receive `on` has not been posted
    nothing,     // a posted receive or such a send; its rank `peer` has no matching message left
    call,        // a collective; rank `peer` has not called it, and `on`, not started, would be its call
    no_call,     // a collective; rank `peer` has not called it and calls no other one of the group any more
    none_left,   // a collective; rank `peer` has not called it and has only other calls of the group left
    other_call,  // a collective; `on` is another collective at the same place of the group's sequence
    inner,       // a collective; `on`, a node of its custom algorithm, has not ended
    algorithm,   // a collective; all ranks have called it
    turn,        // a send at a link where it is the turn of `on`
  };
  NodeRef node;
  For what = For::dependency;
  NodeRef on{};
  std::string name{};               // of the node, where somebody has looked it up
  Slot slot = Slot::communication;  // For::slot
  // Messages.
  bool sends = false;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  std::string link{};  // For::turn: "npu0>npu1"
  // For::nothing: a message of this other size, or with this other tag, between the same ranks finds no partner.
  std::optional<std::int64_t> other_bytes{};
  std::optional<std::int64_t> other_tag{};
  // Collectives.
  struct Collective {
    convert::Collective op = convert::Collective::all_reduce;
    std::int64_t bytes = 0;
    std::int64_t group = 0;     // id; 0: all ranks
    std::uint32_t number = 0;   // in the group's sequence, from 0
    std::uint32_t missing = 0;  // ranks that have not called it
    std::string particulars{};  // what two calls of one type and size differ in
  };
  std::optional<Collective> collective{};
  std::optional<Collective> other{};  // For::other_call: what `on` calls
};

struct UnmatchedSend {
  NodeRef node;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  bool inner = false;  // sent by the algorithm of a collective; node.node says nothing
};

// Lists what waits by rank and, within a rank, what has started (receives, sends, collectives) before what has not,
// each in ascending order, and nodes of custom algorithms at the end. Lists end at `max_listed`; totals count all.
struct WaitReport {
  static constexpr std::size_t max_listed = 10'000;
  static constexpr std::size_t max_cycles = 20;
  std::vector<WaitingNode> waiting;
  std::uint64_t waiting_total = 0;
  // For each rank that waits, the first node that has started and does not end; if none has, the first that waits.
  std::vector<WaitingNode> blocked;
  std::uint64_t blocked_total = 0;
  std::vector<NodeRef> cycle;  // each waits for the next, the last for the first; empty if there is none
  std::vector<std::vector<NodeRef>> more_cycles;  // that share no node with it, or with each other
  std::vector<UnmatchedSend> unmatched;
  std::uint64_t unmatched_total = 0;
  std::vector<std::string> hints;  // what to change: one for the cycle, then for what can never come
};

// Names a collective that was not started because another one is at its place of the group's sequence.
struct RefusedCall {
  Rank npu = 0;
  std::uint32_t op = 0;
  std::uint32_t run = 0;  // the other one
};

// Names a send that waits for its turn on a link.
struct HeldSend {
  Rank npu = 0;
  Waiter sent{};
  HeldMessage message{};
};

// Refers to what a replay left behind whose events have run out.
struct ReplayRemains {
  const LinkedProgram& program;
  std::vector<const Feeder*> feeders;  // by rank
  const Channels& messages;
  const SystemState& system;
  const std::vector<RefusedCall>& refused;
  std::vector<HeldSend> held{};
};
// Returns who waits for what, and which messages nobody has received.
[[nodiscard]] WaitReport report_waits(const ReplayRemains& remains);

// Returns what a node waits for: "rank 3, node 7 depends on node 5".
[[nodiscard]] std::string describe_wait(const WaitingNode& w);
// Returns lines of text: the first blocked node of each rank, then others that wait, together up to `max_lines` (0:
// all); "… 480 more"; as many unmatched sends; the cycles (cut as well), the hints.
[[nodiscard]] std::vector<std::string> describe(const WaitReport& report, std::size_t max_lines);

// Returns "CPU", "compute" or "communication".
[[nodiscard]] std::string_view slot_name(Slot slot);

// Appends members to an object that is open in `json`: "blocked", "waiting_total", "waiting",
// "unmatched_sends_total", "unmatched_sends", "cycle", "more_cycles", "hints". Each entry of "blocked" and
// "waiting" has "npu", "node" ("inner" for a node of a custom algorithm), and what it waits for:
//   "dependency": NODE
//   "resource": {"name", "held_by": NODE}
//   "turn": {"link", "of": NODE}
//   "receive": {"from", "tag", "bytes", "send": NODE}; with rendezvous "send": {"to", "tag", "bytes",
//     "receive": NODE}; without NODE nothing matches, and "bytes_of_unmatched_send", "tag_of_unmatched_send"
//     (or …_receive) is a near miss
//   "collective": {"type", "bytes", "group", "number", …}, where "missing" ranks have not called it;
//     "next_call": NODE is the call of one of them, "never_called_by" one that has none left; "in_place_of": NODE
//     with "type" and "bytes" is another collective ("with": what those of one type and size differ in);
//     "inner_node": NODE
void append_waits(const WaitReport& report, JsonWriter& json);

}  // namespace convert
