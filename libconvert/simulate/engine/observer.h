// SPDX-License-Identifier: MIT
// Declares what an observer is told of a replay, and the observer that does nothing.
//
// The engine is compiled once for each observer, so that a plain replay, with NoObserver, spends no time on this.
// OrderObserver (symmetry) watches a run of representatives, Causes (explain) notes what led to what, and
// OrderedCauses does both: they derive from NoObserver and hide the functions that they need.
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

// Names the node for which something is done.
struct Actor {
  Rank npu = 0;
  std::uint32_t op = UINT32_MAX;  // the node's number in its rank
  std::uint32_t run = 0;          // 1 + the run of the collective that the node calls; 0: it calls none
  friend bool operator==(const Actor&, const Actor&) = default;
};

class NoObserver {
 public:
  explicit NoObserver(const EventQueue& /*queue*/) {}

  static constexpr bool is_reduced = false;  // one rank stands for its class
  static constexpr bool sees_hops = false;   // the network gets an event for the end of each hop, also of the last

  // Returns whether the replay is to end now.
  [[nodiscard]] bool stops() const { return false; }

  // A node is offered to its NPU, starts, has started; a node ends.
  void offered(Rank /*npu*/) {}
  void node_starts(Rank /*npu*/, std::uint32_t /*op*/) {}
  void node_started() {}
  void node_ends() {}
  // The end of node `op` frees the nodes that start before freed().
  void frees(std::uint32_t /*op*/) {}
  void freed() {}
  // An INVALID node ends; what it frees may have to wait for the end of another node.
  void deferred(Rank /*npu*/) {}

  // NpuEvents registers a completion, `item`, in an entry, which it pushes for that or has pushed before.
  void registered(std::uint32_t /*item*/) {}
  void pushes_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void adds_to_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  // The entry comes due, and then each of its items.
  void runs_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void runs(std::uint32_t /*item*/) {}
  // `whom` is told of an end.
  void fires(Waiter /*whom*/) {}

  // Return the key of a channel as Messages keeps it, and the rank to which the channel leads.
  [[nodiscard]] const ChannelKey& framed(const ChannelKey& key) const { return key; }
  [[nodiscard]] Rank destination(const ChannelKey& key) const { return key.dst; }
  // Message `m` is given to the network, which may put it on its first wire before was_sent(). `class_ring` is the
  // number of the ring that it goes along, see ChannelKey; 0: it is none of those.
  void sends(std::uint32_t /*m*/, Rank /*to*/, std::int64_t /*bytes*/, bool /*exchange*/,
             std::uint32_t /*class_ring*/) {}
  void was_sent() {}
  // Message `m` arrives (in a network of wires hop_ends() says so); its sender is told, then the receive that waits
  // for it, or nobody.
  void arrives(std::uint32_t /*m*/) {}
  void tells_sender(Rank /*npu*/, Waiter /*sent*/) {}
  void tells_receiver(const ChannelKey& /*key*/, Rank /*npu*/, Waiter /*received*/) {}
  // A receive finds that its message has arrived, and takes it in an event of its own, `index`.
  void finds_message(std::uint32_t /*index*/) {}
  void takes_message(std::uint32_t /*index*/, Rank /*npu*/, Waiter /*received*/) {}
  // With rendezvous: send or receive `index` waits for its control message, and goes on.
  void waits(std::uint32_t /*index*/) {}
  void goes_on(std::uint32_t /*index*/) {}

  // Packet `p` of a message starts, comes to a wire (comes() returns the wire for it), takes it, and is at its end.
  void launched(std::uint32_t /*p*/, std::uint32_t /*message*/) {}
  [[nodiscard]] std::uint32_t comes(std::uint32_t /*p*/, std::uint32_t wire) { return wire; }
  void takes_wire(std::uint32_t /*p*/, std::uint32_t /*wire*/, std::int64_t /*bytes*/) {}
  void hop_ends(std::uint32_t /*p*/) {}
  // A wire is free again, or the share of a wire that was taken when cause_on() returned `cause`.
  void wire_frees(std::uint32_t /*wire*/) {}
  [[nodiscard]] std::uint32_t cause_on(std::uint32_t /*wire*/) const { return 0; }
  void share_frees(std::uint32_t /*cause*/) {}
  // Returns the symmetry if representatives are replayed, else null.
  [[nodiscard]] const Symmetry* symmetry() const { return nullptr; }

  // What begins from now on is done for actor().
  template <typename ActorOf>
  void acts(const ActorOf& /*actor*/) {}

  // A node begins to call a collective (true), or has called it (false).
  void begins_collective(bool /*begins*/) {}
  // An NPU calls run `run` at the time of the run's first call; same_turns() tells whether its round-robin counters
  // are those of the NPU that called first.
  template <typename SameTurns>
  void calls_first(std::uint32_t /*run*/, Rank /*npu*/, std::uint32_t /*op*/, const SameTurns& /*same_turns*/) {}
  // More than the state of one stream is touched: what the streams of `run` alone share, or nothing: other things.
  void shares(std::optional<std::uint32_t> /*run*/) {}
  // Returns for how many members of the group the NPU stands.
  [[nodiscard]] std::uint32_t weight(std::uint32_t /*group*/, Rank /*npu*/) { return 1; }
};

}  // namespace convert
