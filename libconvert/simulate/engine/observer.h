// SPDX-License-Identifier: MIT
// Who is told what happens in a replay.
//
// The engine is compiled once for each observer. The plain replay tells NoObserver, whose functions are empty, so
// that nothing of them is left in its loop. OrderObserver (symmetry) watches a run of representatives, and Causes
// (explain) notes what led to what: they derive from it and hide the functions that they care about.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "core/units.h"
#include "simulate/engine/channel.h"
#include "simulate/engine/waiter.h"

namespace convert {

class EventQueue;
class Symmetry;

// Names a node of an NPU for which something is done.
struct Actor {
  Rank npu = 0;
  std::uint32_t op = UINT32_MAX;  // its node
  std::uint32_t run = 0;          // 1 + the collective of which the node is a part; 0: of none
  friend bool operator==(const Actor&, const Actor&) = default;
};

class NoObserver {
 public:
  explicit NoObserver(const EventQueue& /*queue*/) {}

  static constexpr bool is_reduced = false;  // one rank stands for its class
  static constexpr bool sees_hops = false;   // the end of each hop is to come to the network, the last one's too

  // Tells whether the replay is to end now.
  [[nodiscard]] bool stops() const { return false; }

  // Nodes: one is offered to its NPU, starts, and ends; what starts between frees() and freed() was freed by that.
  // What INVALID nodes free can be deferred to the next end.
  void offered(Rank /*npu*/) {}
  void node_starts(Rank /*npu*/, std::uint32_t /*op*/) {}
  void node_started() {}
  void node_ends() {}
  void frees(std::uint32_t /*op*/) {}
  void freed() {}
  void deferred(Rank /*npu*/) {}

  // Events of an NPU: an item is registered, in an entry that is pushed or was there already; later both run.
  void registered(std::uint32_t /*item*/) {}
  void pushes_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void adds_to_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void runs_entry(Rank /*npu*/, std::uint32_t /*entry*/) {}
  void runs(std::uint32_t /*item*/) {}
  // Somebody is told of an end.
  void fires(Waiter /*whom*/) {}

  // Messages: `m` is given to the network (perhaps it takes a first wire before was_sent()); it arrives, which its
  // sender is told, and then the receive that waits for it, if one does.
  [[nodiscard]] const ChannelKey& framed(const ChannelKey& key) const { return key; }
  [[nodiscard]] Rank destination(const ChannelKey& key) const { return key.dst; }
  void sends(std::uint32_t /*m*/, Rank /*to*/, std::int64_t /*bytes*/) {}
  void was_sent() {}
  void arrives(std::uint32_t /*m*/) {}
  void tells_sender(Rank /*npu*/, Waiter /*sent*/) {}
  void tells_receiver(const ChannelKey& /*key*/, Rank /*npu*/, Waiter /*received*/) {}
  // A receive finds that its message has come, and takes it in an event of its own.
  void finds_message(std::uint32_t /*index*/) {}
  void takes_message(std::uint32_t /*index*/, Rank /*npu*/, Waiter /*received*/) {}
  // With rendezvous: a send or receive waits, and goes on.
  void waits(std::uint32_t /*index*/) {}
  void goes_on(std::uint32_t /*index*/) {}

  // Packets of a network: one is launched, comes to a wire (comes() returns which it takes), takes it, comes to its
  // end; the wire gets free, or the share that the packet had of it, for which cause_on() has given a number.
  void launched(std::uint32_t /*p*/) {}
  [[nodiscard]] std::uint32_t comes(std::uint32_t /*p*/, std::uint32_t wire) { return wire; }
  void takes_wire(std::uint32_t /*p*/, std::uint32_t /*wire*/, std::int64_t /*bytes*/) {}
  void hop_ends(std::uint32_t /*p*/) {}
  void wire_frees(std::uint32_t /*wire*/) {}
  [[nodiscard]] std::uint32_t cause_on(std::uint32_t /*wire*/) const { return 0; }
  void share_frees(std::uint32_t /*cause*/) {}
  [[nodiscard]] const Symmetry* symmetry() const { return nullptr; }

  // What is begun next is begun for actor().
  template <typename ActorOf>
  void acts(const ActorOf& /*actor*/) {}

  // Collectives: a node that calls one starts (true), or has started (false); an NPU calls run `run` at the time at
  // which that began, and same_turns() tells whether as if it were the first to call; more than the state of one
  // stream is touched (shares).
  void begins_collective(bool /*begins*/) {}
  template <typename SameTurns>
  void calls_first(std::uint32_t /*run*/, Rank /*npu*/, std::uint32_t /*op*/, const SameTurns& /*same_turns*/) {}
  void shares() {}
  // Returns for how many members of the group the NPU stands.
  [[nodiscard]] std::uint32_t weight(std::uint32_t /*group*/, Rank /*npu*/) { return 1; }
};

}  // namespace convert
