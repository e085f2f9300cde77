// SPDX-License-Identifier: MIT
// Finds which wire of a representative stands for the one that a packet takes, and whether the order of what comes
// to a wire at one time could matter.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "config/network/wire_numbers.h"
#include "simulate/engine/engine.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Maps the wires of packets, and tells the OrderWatch what comes to each. The positions of a packet stay in the
// frame of its source, which is a representative.
class WireWatch {
 public:
  WireWatch(const NetworkConfig& config, const Symmetry& symmetry, OrderWatch& order, const EventQueue& queue)
      : numbers_(config), symmetry_(symmetry), order_(order), queue_(queue) {}

  // Tells that the current event, a send or the packet's end of a wire, brings packet `p` to `wire`. Returns the
  // wire of the representative.
  std::uint32_t come(std::uint32_t p, std::uint32_t wire);
  // Tells that the current event, which has come to this wire, lets `p` take it.
  void transmit(std::uint32_t p, std::uint32_t wire);
  // Tell that the event is run that ends the transmission, or that brings the packet to the end of the wire.
  void leave(std::uint32_t wire);
  void hop(std::uint32_t p) {
    order_.next_visit();
    order_.current = packets_[p].pushed;
  }

 private:
  struct Packet {
    Rank owner = 0;   // of its wire
    Pushed pushed{};  // the end of its hop
  };
  struct Wire {
    Pushed free{};  // the end of its transmission
    Picoseconds time = -1;
    Touches touches{};  // at that time; of a kind: enters or leaves, its index: the visit
  };

  void touch(Wire& wire, Pushed pushed, bool enters);

  const ProductWires numbers_;
  const Symmetry& symmetry_;
  OrderWatch& order_;
  const EventQueue& queue_;
  std::vector<Packet> packets_;
  std::unordered_map<std::uint32_t, Wire> wires_;  // few of those that a fully connected network has
  Rank origin_ = 0;                                // of the event at the wire, in the frame of the wire's owner
};

}  // namespace convert
