// SPDX-License-Identifier: MIT
// Interface of observers of a replay, and the observer that does nothing.
//
// The engine is compiled once for each observer, so that a plain replay, with NoObserver, has no overhead.
// OrderObserver (symmetry) checks a run of representatives, Causes (explain) records causes, and OrderedCauses does
// both. They derive from NoObserver and hide the functions that they need.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/channel.h"
#include "simulate/engine/waiter.h"

namespace convert {

class EventQueue;
class Symmetry;

// Node for which an action is done.
struct Actor {
  Rank npu = 0;
  std::uint32_t op = UINT32_MAX;  // the node's number in its rank
  std::uint32_t run = 0;          // 1 + the run of the collective that the node calls; 0: it calls none
  friend bool operator==(const Actor&, const Actor&) = default;
};

// A flow in the network model fair.
struct FlowOf {
  bool is_call = false;
  std::uint32_t number = 0;  // the run of the call, or the message
};

class NoObserver {
 public:
  explicit NoObserver(const EventQueue& /*queue*/) {}

  static constexpr bool is_reduced = false;  // one rank represents its class
  static constexpr bool sees_hops = false;   // the network pushes an event for the end of each hop, also the last

  // Returns whether the replay must end now.
  [[nodiscard]] bool stops() const { return false; }

  // A node is offered to its NPU, starts, has started; a node ends.
  void offered(Rank /*npu*/) {}
  void node_starts(Rank /*npu*/, std::uint32_t /*op*/) {}
  void node_started() {}
  void node_ends() {}
  // The end of node `op` frees the nodes that start before freed().
  void frees(std::uint32_t /*op*/) {}
  void freed() {}
  // An INVALID node ends; nodes that it frees may have to wait for the end of another node.
  void deferred(Rank /*npu*/) {}

  // NpuEvents registers completion `item` in an entry, which it pushes now or has pushed before.
  void registered(std::uint32_t /*item*/) {}
  void pushes_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void adds_to_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  // The entry is due, and then each of its items.
  void runs_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void runs(std::uint32_t /*item*/) {}
  // `whom` is notified of an end.
  void fires(Waiter /*whom*/) {}

  // Return the key of a channel as stored by Messages, and the destination rank of the channel.
  [[nodiscard]] const ChannelKey& framed(const ChannelKey& key) const { return key; }
  [[nodiscard]] Rank destination(const ChannelKey& key) const { return key.dst; }
  // Message `m` is passed to the network, which may put it on its first link before was_sent(). `class_ring` is the
  // number of the message's class ring, see ChannelKey; 0: no class ring.
  void sends(std::uint32_t /*m*/, Rank /*to*/, std::int64_t /*bytes*/, bool /*exchange*/,
             std::uint32_t /*class_ring*/) {}
  void was_sent() {}
  // Message `m` arrives (in a network of links, hop_ends() indicates this). Its sender is notified, then the
  // receive that waits for it, if any.
  void arrives(std::uint32_t /*m*/) {}
  void tells_sender(Rank /*npu*/, Waiter /*sent*/) {}
  void tells_receiver(const ChannelKey& /*key*/, Rank /*npu*/, Waiter /*received*/) {}
  // A receive finds that its message has arrived, and takes it in a separate event, `index`.
  void finds_message(std::uint32_t /*index*/) {}
  void takes_message(std::uint32_t /*index*/, Rank /*npu*/, Waiter /*received*/) {}
  // With rendezvous: send or receive `index` waits for its control message, and continues.
  void waits(std::uint32_t /*index*/) {}
  void goes_on(std::uint32_t /*index*/) {}

  // Packet `p` of a message starts, reaches a link (comes() returns the link to use), takes it, and is at its end.
  void launched(std::uint32_t /*p*/, std::uint32_t /*message*/) {}
  [[nodiscard]] std::uint32_t comes(std::uint32_t /*p*/, std::uint32_t wire) { return wire; }
  void takes_wire(std::uint32_t /*p*/, std::uint32_t /*wire*/, std::int64_t /*bytes*/) {}
  void hop_ends(std::uint32_t /*p*/) {}
  // A link is free again, or the share of a link that was taken when cause_on() returned `cause`.
  void wire_frees(std::uint32_t /*wire*/) {}
  [[nodiscard]] std::uint32_t cause_on(std::uint32_t /*wire*/) const { return 0; }
  void share_frees(std::uint32_t /*cause*/) {}
  // Returns the symmetry if representatives are replayed, else null.
  [[nodiscard]] const Symmetry* symmetry() const { return nullptr; }

  // Activities that begin from now on are done for actor().
  template <typename ActorOf>
  void acts(const ActorOf& /*actor*/) {}

  // A node begins to call a collective (true), or has called it (false).
  void begins_collective(bool /*begins*/) {}
  // An NPU calls run `run` at the time of the run's first call. same_turns() returns whether its round-robin
  // counters equal the first caller's counters.
  template <typename SameTurns>
  void calls_first(std::uint32_t /*run*/, Rank /*npu*/, std::uint32_t /*op*/, const SameTurns& /*same_turns*/) {}
  // Run `run` on a machine begins, as its last member has called it, and ends; then `npu`, a member, continues.
  void flow_begins(std::uint32_t /*run*/) {}
  void flow_ends(std::uint32_t /*run*/, Rank /*npu*/) {}
  // In the network model fair, a call or message begins to flow; later, rates are computed, and the ends of changed
  // flows are pushed, in the order in which they began; the last pushed end comes. For a message, arrives()
  // follows.
  void flows(FlowOf /*flow*/) {}
  void computes_rates() {}
  void pushes_end(FlowOf /*flow*/) {}
  void end_comes(FlowOf /*flow*/) {}
  // State outside of one stream is touched: state shared by the streams of `run`, or, without `run`, other state.
  void shares(std::optional<std::uint32_t> /*run*/) {}
  // Returns the number of members of the group that the NPU represents.
  [[nodiscard]] std::uint32_t weight(std::uint32_t /*group*/, Rank /*npu*/) { return 1; }
};

}  // namespace convert
