// SPDX-License-Identifier: MIT
// Diagnosis of a replay that cannot continue: waiting nodes, their cycles, and hints for changing the traces.
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
  std::optional<NodeId> inner{};  // in the custom algorithm of `node`, a collective
  friend bool operator==(const NodeRef&, const NodeRef&) = default;
};

struct WaitingNode {
  enum class For : std::uint8_t {
    dependency,  // `on` has not ended
    slot,        // `on` holds the resource that the node needs
    send,        // a posted receive; the matching send `on` has not started
    receive,     // a send with rendezvous; the matching receive `on` has not been posted
    nothing,     // a posted receive, or a rendezvous send; rank `peer` has no matching message left
    call,        // a collective; rank `peer` has not called it, and its call would be `on`, which has not started
    no_call,     // a collective; rank `peer` has not called it and has no calls of the group left
    none_left,   // a collective; rank `peer` has not called it and has only different calls of the group left
    other_call,  // a collective; `on` is a different collective at the same position of the group's sequence
    inner,       // a collective; `on`, a node of its custom algorithm, has not ended
    algorithm,   // a collective; all ranks have called it
    turn,        // a send at a link that expects `on` next
  };
  NodeRef node;
  For what = For::dependency;
  NodeRef on{};
  std::string name{};               // name of the node, if it was looked up
  Slot slot = Slot::communication;  // For::slot
  // Messages.
  bool sends = false;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  std::string link{};  // For::turn: "npu0>npu1"
  // For::nothing: an unmatched message between the same ranks has this other size, or this other tag.
  std::optional<std::int64_t> other_bytes{};
  std::optional<std::int64_t> other_tag{};
  // Collectives.
  struct Collective {
    convert::Collective op = convert::Collective::all_reduce;
    std::int64_t bytes = 0;
    std::int64_t group = 0;     // id; 0: all ranks
    std::uint32_t number = 0;   // in the group's sequence, from 0
    std::uint32_t missing = 0;  // ranks that have not called it
    std::string particulars{};  // differences between two calls of one type and size
  };
  std::optional<Collective> collective{};
  std::optional<Collective> other{};  // For::other_call: the collective that `on` calls
};

struct UnmatchedSend {
  NodeRef node;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  bool inner = false;  // sent by the algorithm of a collective; node.node is unused
};

// Waiting nodes by rank. Within a rank, started nodes (receives, sends, collectives) precede others, each in
// ascending order; nodes of custom algorithms are last. Lists end at `max_listed`; totals count all nodes.
struct WaitReport {
  static constexpr std::size_t max_listed = 10'000;
  static constexpr std::size_t max_cycles = 20;
  std::vector<WaitingNode> waiting;
  std::uint64_t waiting_total = 0;
  // For each waiting rank, the first node that has started and has not ended; if none exists, the first waiting
  // node.
  std::vector<WaitingNode> blocked;
  std::uint64_t blocked_total = 0;
  std::vector<NodeRef> cycle;  // each node waits for the next, the last for the first; empty if none exists
  std::vector<std::vector<NodeRef>> more_cycles;  // share no node with `cycle` or with each other
  std::vector<UnmatchedSend> unmatched;
  std::uint64_t unmatched_total = 0;
  std::vector<std::string> hints;  // for the cycle, then for missing calls and messages
};

// Collective that was not started, because a different collective is at its position of the group's sequence.
struct RefusedCall {
  Rank npu = 0;
  std::uint32_t op = 0;
  std::uint32_t run = 0;  // the different collective
};

// Send that waits for its turn in the link order.
struct HeldSend {
  Rank npu = 0;
  Waiter sent{};
  HeldMessage message{};
};

// State of a replay without further events.
struct ReplayRemains {
  const LinkedProgram& program;
  std::vector<const Feeder*> feeders;  // by rank
  const Channels& messages;
  const SystemState& system;
  const std::vector<RefusedCall>& refused;
  std::vector<HeldSend> held{};
};
// Returns the waiting nodes, their causes, and the messages that were never received.
[[nodiscard]] WaitReport report_waits(const ReplayRemains& remains);

// Returns the description of a wait, for example "rank 3, node 7 depends on node 5".
[[nodiscard]] std::string describe_wait(const WaitingNode& w);
// Returns lines of text: the first blocked node of each rank, then other waiting nodes, in total up to `max_lines`
// (0: all); "… 480 more"; up to `max_lines` unmatched sends; the cycles, with the same limit; the hints.
[[nodiscard]] std::vector<std::string> describe(const WaitReport& report, std::size_t max_lines);

// Returns "CPU", "compute" or "communication".
[[nodiscard]] std::string_view slot_name(Slot slot);

// Appends members to an object that is open in `json`: "blocked", "waiting_total", "waiting",
// "unmatched_sends_total", "unmatched_sends", "cycle", "more_cycles", "hints". Each entry of "blocked" and
// "waiting" has "npu", "node" ("inner" for a node of a custom algorithm), and the cause of the wait:
//   "dependency": NODE
//   "resource": {"name", "held_by": NODE}
//   "turn": {"link", "of": NODE}
//   "receive": {"from", "tag", "bytes", "send": NODE}; with rendezvous "send": {"to", "tag", "bytes",
//     "receive": NODE}; without NODE there is no match, and "bytes_of_unmatched_send" or "tag_of_unmatched_send"
//     (or …_receive) is a near miss
//   "collective": {"type", "bytes", "group", "number", …}, where "missing" ranks have not called it;
//     "next_call": NODE is the call of a missing rank, "never_called_by" a rank without such a call; "in_place_of":
//     NODE with "type" and "bytes" is a different collective ("with": differences between calls of one type and
//     size); "inner_node": NODE
void append_waits(const WaitReport& report, JsonWriter& json);

}  // namespace convert
