// SPDX-License-Identifier: MIT
#include "simulate/symmetry/wire_watch.h"

namespace convert {

std::uint32_t WireWatch::come(std::uint32_t p, std::uint32_t wire) {
  const Known& known = this->known(wire);
  Wire& own = wires_[known.at - 1];
  Packet& k = packet(p);
  k.owner = known.owner;
  if (queue_.now() <= own.claimed_until) closed_.meet(own.claimed_by, own.claimed_from);
  touch(own, at_owner(order_.current.origin, k, own.owner), true);
  return own.number;
}

// Converts an origin from the frame of the packet's source to the frame of the owner of its link, whose
// representative is `owner`.
Origin WireWatch::at_owner(Origin origin, const Packet& k, Rank owner) {
  if (k.class_ring != 0) return k.arrives ? origins_.next_in_ring(origin, k.class_ring, true) : origin;
  return k.owner == owner ? origin : origins_.at(origin, k.owner, k.exchange);
}
// Does the reverse.
Origin WireWatch::at_source(Origin origin, const Packet& k, Rank owner) {
  if (k.class_ring != 0) return k.arrives ? origins_.next_in_ring(origin, k.class_ring, false) : origin;
  return k.owner == owner ? origin : origins_.from(origin, k.owner, k.exchange);
}

void WireWatch::transmit(std::uint32_t p, std::uint32_t wire) {
  Wire& w = this->wire(wire);
  Packet& k = packets_[p];
  w.free = {order_.turn(), origin_};
  k.pushed = {order_.turn(), at_source(origin_, k, w.owner)};
  k.arrives = true;
}

void WireWatch::leave(std::uint32_t wire) {
  Wire& w = this->wire(wire);
  order_.next_visit();
  order_.begin_event(queue_.now(), w.free);
  touch(w, w.free.origin, false);
}

void WireWatch::find(std::uint32_t number, Known& known) {
  const ProductWires::Dim& d = numbers_.dim_of(number);
  known.owner = (number - d.first_wire) / d.ports;
  const std::uint32_t own = representative_wire(numbers_, symmetry_, number);
  if (own == number) {
    wires_.push_back({.number = number, .owner = known.owner});
    known.at = static_cast<std::uint32_t>(wires_.size());
  } else {
    known.at = this->known(own).at;
  }
}

// The end of a transmission and the arrival of a packet commute, unless packets have priorities: in both orders,
// the packet that has waited longest is next. If no packet has waited, only the event that pushes the next ones is
// undetermined.
void WireWatch::touch(Wire& wire, Origin origin, bool enters) {
  if (wire.turn != order_.turn()) {
    wire.turn = order_.turn();
    wire.touches.clear();
  }
  origin_ = origin;
  const Touches::Touch touch{origin, enters ? 1U : 0U, order_.visit()};
  for (const Touches::Touch& t : wire.touches) {
    if (!order_is_open(t.origin, origin) || (t.index == touch.index && !order_.loose())) continue;
    origin_ = origins_.next();
    if (t.kind == touch.kind || by_priority_) order_.give_up(wire.owner, "messages at one of its links");
  }
  wire.touches.add(touch);
  if (wire.touches.size() > Touches::too_many) order_.give_up(wire.owner, "too many messages at one of its links");
}

}  // namespace convert
