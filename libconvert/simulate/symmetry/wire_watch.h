// SPDX-License-Identifier: MIT
// Maps the link of a packet to the representative's link, and checks whether the order of simultaneous events at a
// link could matter.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "config/network/wire_numbers.h"
#include "simulate/closed/watch.h"
#include "simulate/engine/engine.h"
#include "simulate/symmetry/order_watch.h"
#include "simulate/symmetry/origins.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Maps the links of packets, and reports the events at each link to the OrderWatch. The positions of a packet stay
// in the frame of its source, which is a representative.
class WireWatch {
 public:
  // `by_priority`: not all messages take links in the order of arrival.
  WireWatch(const NetworkConfig& config, const Symmetry& symmetry, SeenOrigins& origins, OrderWatch& order,
            ClosedWatch& closed, const EventQueue& queue, bool by_priority)
      : numbers_(config),
        symmetry_(symmetry),
        origins_(origins),
        order_(order),
        closed_(closed),
        queue_(queue),
        by_priority_(by_priority),
        pages_((std::size_t{numbers_.wires()} >> page_bits) + 1) {}

  // Records that packet `p` is sent. `exchange`: how it moves with its source, see ChannelKey::exchange.
  // `class_ring`: the class ring of the message.
  void launch(std::uint32_t p, bool exchange, std::uint32_t class_ring) {
    packet(p).exchange = exchange;
    packet(p).class_ring = class_ring;
    packet(p).arrives = false;
  }

  // Records that the current event, a send or the packet's end of a link, brings packet `p` to `wire`. Returns the
  // representative's link.
  std::uint32_t come(std::uint32_t p, std::uint32_t wire);
  // Records that the current event at this link lets `p` take the link.
  void transmit(std::uint32_t p, std::uint32_t wire);
  // Returns the representative's link.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t wire) { return this->wire(wire).number; }
  // Returns whether phases of `npu` that begin now may be closed, as far as this link is concerned: no other claim
  // is active, and no event has touched the link in this turn.
  [[nodiscard]] bool can_claim(std::uint32_t wire, Rank npu) {
    const Wire& w = this->wire(wire);
    if (w.claimed_until == being_claimed) return w.claimed_by == npu && w.claimed_from == queue_.now();
    return w.claimed_until < queue_.now() && w.turn != order_.turn();
  }
  // claim() claims the link for these phases; claim_until() sets the end of the claim.
  void claim(std::uint32_t wire, Rank npu) {
    Wire& w = this->wire(wire);
    w.claimed_by = npu;
    w.claimed_from = queue_.now();
    w.claimed_until = being_claimed;
  }
  void claim_until(std::uint32_t wire, Picoseconds end) { this->wire(wire).claimed_until = end; }
  // Record that the current event ends the transmission, or brings the packet to the end of the link.
  void leave(std::uint32_t wire);
  void hop(std::uint32_t p) {
    order_.next_visit();
    order_.begin_event(queue_.now(), packets_[p].pushed);
  }

 private:
  struct Packet {
    Rank owner = 0;         // of its link
    bool exchange = false;  // it moves by XOR
    bool arrives = false;   // along a class ring: its link is the second, which belongs to the destination
    std::uint32_t class_ring = 0;
    Pushed pushed{};  // end of its hop
  };
  struct Wire {
    std::uint32_t number = 0;  // of the representative's link
    Rank owner = 0;
    Pushed free{};  // end of its transmission
    std::uint64_t turn = 0;
    Rank claimed_by = 0;  // for closed phases
    Picoseconds claimed_from = 0;
    Picoseconds claimed_until = -1;
    Touches touches{};  // in that turn; kind: enters or leaves, index: the visit
  };

  Packet& packet(std::uint32_t p) {
    if (p >= packets_.size()) packets_.resize(std::size_t{p} + 1);
    return packets_[p];
  }
  // Link in wires_ that represents a link.
  struct Known {
    Rank owner;
    std::uint32_t at;  // 1 + index; 0: unknown yet
  };
  static constexpr std::uint32_t page_bits = 9;
  static constexpr Picoseconds being_claimed = std::numeric_limits<Picoseconds>::max();

  Known& known(std::uint32_t number) {
    Page& page = pages_[number >> page_bits];
    if (page.empty()) page.resize(std::size_t{1} << page_bits);
    Known& k = page[number & ((1U << page_bits) - 1)];
    if (k.at == 0) find(number, k);
    return k;
  }
  void find(std::uint32_t number, Known& known);
  Wire& wire(std::uint32_t number) { return wires_[known(number).at - 1]; }
  void touch(Wire& wire, Origin origin, bool enters);
  [[nodiscard]] Origin at_owner(Origin origin, const Packet& k, Rank owner);
  [[nodiscard]] Origin at_source(Origin origin, const Packet& k, Rank owner);

  const ProductWires numbers_;
  const Symmetry& symmetry_;
  SeenOrigins& origins_;
  OrderWatch& order_;
  ClosedWatch& closed_;
  const EventQueue& queue_;
  const bool by_priority_;
  std::vector<Packet> packets_;
  using Page = std::vector<Known>;
  std::vector<Page> pages_;  // by link, allocated on use, as a fully connected network has npus² links
  std::vector<Wire> wires_;
  Origin origin_ = 0;  // of the event at the link, in the frame of the link's owner
};

}  // namespace convert
