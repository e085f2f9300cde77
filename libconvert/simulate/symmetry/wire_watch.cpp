// SPDX-License-Identifier: MIT
#include "simulate/symmetry/wire_watch.h"

namespace convert {

std::uint32_t WireWatch::come(std::uint32_t p, std::uint32_t wire) {
  const ProductWires::Dim& d = numbers_.dim_of(wire);
  const Rank owner = (wire - d.first_wire) / d.ports;
  const std::uint32_t own = representative_wire(numbers_, symmetry_, wire);
  Packet& k = packet(p);
  k.owner = owner;
  touch(this->wire(own), symmetry_.representative(owner), origins_.at(order_.current.origin, owner, k.exchange),
        true);
  return own;
}

void WireWatch::transmit(std::uint32_t p, std::uint32_t wire) {
  Packet& packet = packets_[p];
  packet.pushed = {order_.turn(), origins_.from(origin_, packet.owner, packet.exchange)};
  this->wire(wire).free = {order_.turn(), origin_};
}

void WireWatch::leave(std::uint32_t wire) {
  Wire& w = this->wire(wire);
  order_.next_visit();
  order_.begin_event(queue_.now(), w.free);
  const ProductWires::Dim& d = numbers_.dim_of(wire);
  touch(w, (wire - d.first_wire) / d.ports, w.free.origin, false);
}

// The end of a transmission and the coming of a packet commute: the packet that has waited longest is the next in
// either case. Only what pushes its events is open where none has waited before.
void WireWatch::touch(Wire& wire, Rank owner, Origin origin, bool enters) {
  if (wire.turn != order_.turn()) {
    wire.turn = order_.turn();
    wire.touches.clear();
  }
  origin_ = origin;
  const Touches::Touch touch{origin, enters ? 1U : 0U, order_.visit()};
  for (const Touches::Touch& t : wire.touches) {
    if (!order_is_open(t.origin, origin) || (t.index == touch.index && !order_.loose())) continue;
    origin_ = origins_.next();
    if (t.kind == touch.kind) order_.give_up(owner, "messages at one of its links");
  }
  wire.touches.add(touch);
  if (wire.touches.size() > Touches::too_many) order_.give_up(owner, "very many messages at one of its links");
}

}  // namespace convert
