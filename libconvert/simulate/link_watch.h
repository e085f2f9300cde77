// SPDX-License-Identifier: MIT
// Where one rank stands for its class, its links stand for all: which link a packet takes in the frame of the NPU
// that owns it, and whether the order of what comes to a link at one time could matter.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "config/link_numbers.h"
#include "simulate/engine.h"
#include "simulate/symmetry.h"

namespace convert {

// Packets keep the positions of their source's frame, the source being a representative.
class LinkWatch {
 public:
  LinkWatch(const NetworkConfig& config, const Symmetry& symmetry, OrderWatch& order, const EventQueue& queue)
      : numbers_(config), symmetry_(symmetry), order_(order), queue_(queue) {}

  // The current event, a send or the packet's end of a link, brings packet `p` to `link`. Returns the link of the
  // representative.
  std::uint32_t come(std::uint32_t p, std::uint32_t link);
  // The current event, which has come to this link, lets `p` take it.
  void transmit(std::uint32_t p, std::uint32_t link);
  // The event is run that ends the transmission, or brings the packet to the end of the link.
  void leave(std::uint32_t link);
  void hop(std::uint32_t p) {
    order_.next_visit();
    order_.current = packets_[p].pushed;
  }

 private:
  struct Packet {
    Rank owner = 0;   // of its link
    Pushed pushed{};  // the end of its hop
  };
  struct Link {
    Pushed free{};  // the end of its transmission
    Picoseconds time = -1;
    Touches touches{};  // at that time; of a kind: enters or leaves, its index: the visit
  };

  void touch(Link& link, Pushed pushed, bool enters);

  const ProductLinks numbers_;
  const Symmetry& symmetry_;
  OrderWatch& order_;
  const EventQueue& queue_;
  std::vector<Packet> packets_;
  std::unordered_map<std::uint32_t, Link> links_;  // few of those that a fully connected network has
  Rank origin_ = 0;                                // of the event at the link, in the frame of the link's owner
};

}  // namespace convert
