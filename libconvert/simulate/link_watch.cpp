// SPDX-License-Identifier: MIT
#include "simulate/link_watch.h"

namespace convert {

std::uint32_t LinkWatch::come(std::uint32_t p, std::uint32_t link) {
  const ProductLinks::Dim& d = numbers_.dim_of(link);
  const Rank owner = (link - d.first_link) / d.fanout;
  const std::uint32_t own = representative_link(numbers_, symmetry_, link);
  if (p >= packets_.size()) packets_.resize(std::size_t{p} + 1);
  packets_[p].owner = owner;
  touch(links_[own], {order_.current.time, symmetry_.origin_at(order_.current.origin, owner)}, true);
  return own;
}

void LinkWatch::transmit(std::uint32_t p, std::uint32_t link) {
  Packet& packet = packets_[p];
  packet.pushed = {queue_.now(), symmetry_.origin_from(origin_, packet.owner)};
  links_[link].free = {queue_.now(), origin_};
}

void LinkWatch::leave(std::uint32_t link) {
  Link& l = links_[link];
  order_.next_visit();
  touch(l, l.free, false);
}

// The end of a transmission and the coming of a packet commute: the packet that has waited longest is the next in
// either case. Only what pushes its events is open where none has waited before.
void LinkWatch::touch(Link& link, Pushed pushed, bool enters) {
  if (link.time != queue_.now()) {
    link.time = queue_.now();
    link.touches.clear();
  }
  origin_ = pushed.origin;
  const Touches::Touch touch{pushed, enters ? 1U : 0U, order_.visit()};
  for (const Touches::Touch& t : link.touches) {
    if (!order_is_open(t.pushed, pushed) || (t.index == touch.index && !order_.loose())) continue;
    origin_ = unknown_origin;
    if (t.kind == touch.kind) order_.give_up();
  }
  link.touches.add(touch);
  if (link.touches.size() > Touches::too_many) order_.give_up();
}

}  // namespace convert
