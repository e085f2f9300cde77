// SPDX-License-Identifier: MIT
// Records causes in a replay of representatives; unfold() maps them to all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/explain/causes.h"
#include "simulate/symmetry/order_observer.h"

namespace convert {

struct CollectiveRun;

// An OrderObserver that forwards its events to a Causes.
class OrderedCauses : public OrderObserver {
 public:
  // `program` is the reduced program. For `wanted` see Causes.
  OrderedCauses(const EventQueue& queue, const LinkedProgram& program, const Equivalence& equivalence,
                const std::vector<std::uint32_t>* wanted)
      : OrderObserver(queue, program, equivalence), causes_(queue, std::nullopt, wanted) {}

  [[nodiscard]] const Causes& causes() const { return causes_; }

  template <typename ActorOf>
  void acts(const ActorOf& actor) {
    causes_.acts(actor);
  }
  void node_starts(Rank npu, std::uint32_t op) { causes_.node_starts(npu, op); }
  void node_started() { causes_.node_started(); }
  void node_ends() { causes_.node_ends(); }
  void frees(std::uint32_t op) { causes_.frees(op); }
  void freed() { causes_.freed(); }
  void registered(std::uint32_t item) { causes_.registered(item); }
  void runs(std::uint32_t item) {
    OrderObserver::runs(item);
    causes_.runs(item);
  }

  void sends(std::uint32_t m, Rank to, std::int64_t bytes, bool exchange, std::uint32_t class_ring) {
    OrderObserver::sends(m, to, bytes, exchange, class_ring);
    causes_.sends(m, to, bytes, exchange, class_ring);
  }
  void was_sent() { causes_.was_sent(); }
  void arrives(std::uint32_t m) {
    OrderObserver::arrives(m);
    causes_.arrives(m);
  }
  void tells_sender(Rank npu, Waiter sent) {
    OrderObserver::tells_sender(npu, sent);
    causes_.tells_sender(npu, sent);
  }
  void tells_receiver(const ChannelKey& key, Rank npu, Waiter received) {
    OrderObserver::tells_receiver(key, npu, received);
    causes_.tells_receiver(key, npu, received);
  }
  void waits(std::uint32_t index) { causes_.waits(index); }
  void goes_on(std::uint32_t index) { causes_.goes_on(index); }
  void finds_message(std::uint32_t index) {
    OrderObserver::finds_message(index);
    causes_.finds_message(index);
  }
  void takes_message(std::uint32_t index, Rank npu, Waiter received) {
    OrderObserver::takes_message(index, npu, received);
    causes_.takes_message(index, npu, received);
  }

  // Causes uses the link in the frame of the packet's source, but the last cause on the representative's link.
  std::uint32_t comes(std::uint32_t p, std::uint32_t wire) {
    (void)causes_.comes(p, wire);
    return OrderObserver::comes(p, wire);
  }
  void launched(std::uint32_t p, std::uint32_t message) { causes_.launched(p, message); }
  void takes_wire(std::uint32_t p, std::uint32_t wire, std::int64_t bytes) {
    OrderObserver::takes_wire(p, wire, bytes);
    causes_.takes_wire(p, wire, bytes);
  }
  void hop_ends(std::uint32_t p) {
    OrderObserver::hop_ends(p);
    causes_.hop_ends(p);
  }
  void wire_frees(std::uint32_t wire) {
    OrderObserver::wire_frees(wire);
    causes_.wire_frees(wire);
  }
  [[nodiscard]] std::uint32_t cause_on(std::uint32_t wire) { return causes_.cause_on(wire); }
  void share_frees(std::uint32_t cause) { causes_.share_frees(cause); }

 private:
  Causes causes_;
};

// Returns the causal chain of the end as a chain of ranks of `program`, which has all ranks. The input is the chain
// found for representatives. The positions follow from the last cause backwards. If several chains are images of
// each other, the result ends on a representative. `runs` are the collectives that representatives ran. Links are
// omitted.
[[nodiscard]] std::vector<Causes::Detail> unfold(std::vector<Causes::Detail> chain, const ReplayProgram& program,
                                                 const Equivalence& equivalence,
                                                 const std::vector<CollectiveRun>& runs);

}  // namespace convert
