// SPDX-License-Identifier: MIT
#include "simulate/symmetry/wire_watch.h"

namespace convert {

std::uint32_t WireWatch::come(std::uint32_t p, std::uint32_t wire) {
  const Known& known = look_up(wire);
  Packet& k = packet(p);
  k.owner = known.owner;
  touch(known, origins_.at(order_.current.origin, known.owner, k.exchange), true);
  return known.own;
}

void WireWatch::transmit(std::uint32_t p, std::uint32_t wire) {
  Packet& packet = packets_[p];
  packet.pushed = {order_.turn(), origins_.from(origin_, packet.owner, packet.exchange)};
  wires_[look_up(wire).at].free = {order_.turn(), origin_};
}

void WireWatch::leave(std::uint32_t wire) {
  const Known& known = look_up(wire);
  const Pushed free = wires_[known.at].free;
  order_.next_visit();
  order_.begin_event(queue_.now(), free);
  touch(known, free.origin, false);
}

void WireWatch::add(std::uint32_t wire, Known& known) {
  const auto hash = [](std::uint32_t w) { return std::size_t{w} * 0x9e3779b97f4a7c15U >> 32U; };
  const ProductWires::Dim& d = numbers_.dim_of(wire);
  known.wire = wire;
  known.own = representative_wire(numbers_, symmetry_, wire);
  known.owner = d.by_ports.quotient(wire - d.first_wire);
  known.at = by_number_.find_or_add(
      hash(known.own), static_cast<std::uint32_t>(wires_.size()),
      [&](std::uint32_t w) { return wires_[w].number == known.own; },
      [&](std::uint32_t w) { return hash(wires_[w].number); });
  if (known.at == wires_.size()) wires_.emplace_back().number = known.own;
}

// The end of a transmission and the coming of a packet commute: the packet that has waited longest is the next in
// either case. Only what pushes its events is open where none has waited before.
void WireWatch::touch(const Known& known, Origin origin, bool enters) {
  Wire& wire = wires_[known.at];
  const auto give_up = [&](const char* what) { order_.give_up(symmetry_.representative(known.owner), what); };
  if (wire.turn != order_.turn()) {
    wire.turn = order_.turn();
    wire.touches.clear();
  }
  origin_ = origin;
  const Touches::Touch touch{origin, enters ? 1U : 0U, order_.visit()};
  for (const Touches::Touch& t : wire.touches) {
    if (!order_is_open(t.origin, origin) || (t.index == touch.index && !order_.loose())) continue;
    origin_ = origins_.next();
    if (t.kind == touch.kind) give_up("messages at one of its links");
  }
  wire.touches.add(touch);
  if (wire.touches.size() > Touches::too_many) give_up("very many messages at one of its links");
}

}  // namespace convert
