// SPDX-License-Identifier: MIT
// Notes what led to what in a replay of representatives; unfold() tells it of all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/explain/causes.h"
#include "simulate/symmetry/order_observer.h"

namespace convert {

struct CollectiveRun;

// Is an OrderObserver, and tells a Causes the same.
class OrderedCauses : public OrderObserver {
 public:
  // `program` is the reduced one. `wanted` as for Causes.
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

  // Causes knows the wire as it is seen from the packet's source, and what is on that of the representative.
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

// Returns the chain of causes that leads to the end, found of representatives, as one of the ranks of `program`,
// which has all: from the last cause back each takes place where what it led to says. Of several chains that are
// images of each other it is the one that ends on a representative. `runs` are the collectives that representatives
// ran. Wires are left out.
[[nodiscard]] std::vector<Causes::Detail> unfold(std::vector<Causes::Detail> chain, const ReplayProgram& program,
                                                 const Equivalence& equivalence,
                                                 const std::vector<CollectiveRun>& runs);

}  // namespace convert
