// SPDX-License-Identifier: MIT
#include "simulate/system/shared_bus.h"

#include "core/diagnostic.h"
#include "simulate/explain/causes.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"
#include "simulate/system/layer.h"

namespace convert {
namespace {

constexpr double inner_G_ns_per_byte = 0.0038;
constexpr std::uint32_t fair_turns = 8;  // sends in a row before the other side goes first
constexpr std::uint32_t events_per_side = 3;

}  // namespace

template <class Observer>
SharedBus<Observer>::SharedBus(const SharedBusConfig& config, std::int64_t reduction_delay, Rank npus,
                               const EventQueue& queue, NpuEvents<Observer>& events, SystemLayer<Observer>& layer)
    : config_(config),
      reduction_delay_(reduction_delay),
      queue_(queue),
      events_(events),
      layer_(layer),
      sides_(std::size_t{npus} * sides_per_npu) {}

template <class Observer>
void SharedBus<Observer>::append(List& list, std::uint32_t request) {
  requests_[request].next = 0;
  (list.head == 0 ? list.head : requests_[list.tail - 1].next) = request + 1;
  list.tail = request + 1;
  ++list.size;
}

template <class Observer>
std::uint32_t SharedBus<Observer>::take(List& list) {
  const std::uint32_t request = list.head - 1;
  list.head = requests_[request].next;
  --list.size;
  return request;
}

template <class Observer>
void SharedBus<Observer>::add_event(std::uint32_t side, Picoseconds delay, Event event) {
  events_.add(side / sides_per_npu, delay,
              {Waiter::bus, side * events_per_side + static_cast<std::uint32_t>(event)});
}

template <class Observer>
void SharedBus<Observer>::request(Rank npu, bool from_npu, std::int64_t bytes, bool reduce, bool send_back,
                                  Waiter done) {
  const std::uint32_t request =
      requests_.add({.bytes = bytes, .waiter = done, .then = Then::done, .reduce = reduce, .send_back = send_back});
  submit(npu * sides_per_npu + (from_npu ? 0 : 1), request);
}

template <class Observer>
void SharedBus<Observer>::submit(std::uint32_t side, std::uint32_t request) {
  if (has_inner(side)) return cross_inner(side, request, false, false, Then::send);
  append(sides_[side].sends, request);
  if (sides_[side].state == State::free) try_to_send(side);
}

// Sends a request over the inner bus of `side` first, from its NPU side or from its memory side.
template <class Observer>
void SharedBus<Observer>::cross_inner(std::uint32_t side, std::uint32_t outer, bool from_npu, bool send_back,
                                      Then then) {
  const std::uint32_t request = requests_.add(
      {.bytes = requests_[outer].bytes, .side = side, .outer = outer, .then = then, .send_back = send_back});
  submit(side + (from_npu ? 2 : 3), request);
}

template <class Observer>
void SharedBus<Observer>::go_on(std::uint32_t side) {
  if (sides_[side].state == State::free && sides_[side].sends.size != 0) try_to_send(side);
}

template <class Observer>
void SharedBus<Observer>::try_to_send(std::uint32_t side) {
  const Side& other = sides_[partner(side)];
  if (sides_[side].sent_in_a_row > fair_turns && other.sends.size != 0 && other.sent_in_a_row <= fair_turns) {
    if (other.state == State::free) go_on(partner(side));
    return;
  }
  send(side);
}

template <class Observer>
void SharedBus<Observer>::send(std::uint32_t side) {
  Side& x = sides_[side];
  Side& to = sides_[partner(side)];
  const std::int64_t since = (queue_.now() - x.last) / ps_per_ns;
  std::int64_t offset = config_.o_ns;
  if (x.before == State::sending && config_.o_ns + since <= config_.g_ns) offset = config_.g_ns - since;
  const std::uint32_t request = take(x.sends);
  append(to.receives, request);
  to.before = to.state;
  to.state = State::receiving;
  to.sent_in_a_row = 0;
  const bool inner = side % sides_per_npu >= 2;
  const double G = inner ? inner_G_ns_per_byte : static_cast<double>(config_.G_ns_per_byte);
  const double bytes = static_cast<double>(requests_[request].bytes - 1);
  const auto real = [](std::int64_t ns) { return static_cast<double>(ns); };
  add_event(partner(side), truncate_delay(real(offset) + bytes * G + real(config_.L_ns) + real(config_.o_ns)),
            Event::received);
  x.state = State::sending;
  add_event(side, truncate_delay(real(offset) + G * bytes), Event::sent);
}

template <class Observer>
void SharedBus<Observer>::fire(std::uint32_t index) {
  const std::uint32_t side = index / events_per_side;
  Side& x = sides_[side];
  switch (static_cast<Event>(index % events_per_side)) {
    case Event::sent:
      x.last = queue_.now();
      x.before = x.state;
      x.state = State::free;
      ++x.sent_in_a_row;
      break;
    case Event::received: receive(side); break;
    case Event::reduced:
      x.reducing = false;
      route(side, take(x.reductions));
      start_reduction(side);
      break;
  }
  go_on(side);
}

template <class Observer>
void SharedBus<Observer>::receive(std::uint32_t side) {
  Side& x = sides_[side];
  x.last = queue_.now();
  x.before = x.state;
  if (x.receives.size < 2) x.state = State::free;
  const std::uint32_t request = take(x.receives);
  if (!requests_[request].reduce) return route(side, request);
  requests_[request].reduce = false;
  if (has_inner(side)) return cross_inner(side, request, true, true, Then::reduce);
  reduce(side, request);
}

template <class Observer>
void SharedBus<Observer>::reduce(std::uint32_t side, std::uint32_t request) {
  append(sides_[side].reductions, request);
  start_reduction(side);
}

template <class Observer>
void SharedBus<Observer>::start_reduction(std::uint32_t side) {
  Side& x = sides_[side];
  if (x.reducing || x.reductions.size == 0) return;
  x.reducing = true;
  const std::int64_t hundreds = requests_[x.reductions.head - 1].bytes / 100;
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(hundreds, reduction_delay_, &ns) || ns > INT64_MAX / ps_per_ns - 50)
    EventQueue::too_late();
  add_event(side, (ns + 50) * ps_per_ns, Event::reduced);
}

// Sends a request back, or ends it, after its reduction or if it needs none.
template <class Observer>
void SharedBus<Observer>::route(std::uint32_t side, std::uint32_t request) {
  Request& r = requests_[request];
  if (r.send_back) {
    r.send_back = false;
    if (has_inner(side)) return cross_inner(side, request, true, true, Then::send_back);
    append(sides_[side].sends, request);
    return;
  }
  if (has_inner(side)) return cross_inner(side, request, true, false, Then::deliver);
  finish(side, request);
}

template <class Observer>
void SharedBus<Observer>::finish(std::uint32_t side, std::uint32_t request) {
  const Request r = requests_[request];
  requests_.remove(request);
  switch (r.then) {
    case Then::done: return layer_.fire(side / sides_per_npu, r.waiter);
    case Then::send:
    case Then::send_back: append(sides_[r.side].sends, r.outer); break;
    case Then::reduce: reduce(r.side, r.outer); break;
    case Then::deliver: {
      const Waiter waiter = requests_[r.outer].waiter;
      requests_.remove(r.outer);
      layer_.fire(side / sides_per_npu, waiter);
      break;
    }
  }
  go_on(r.side);
}

template class SharedBus<NoObserver>;
template class SharedBus<OrderObserver>;
template class SharedBus<Causes>;
template class SharedBus<OrderedCauses>;

}  // namespace convert
