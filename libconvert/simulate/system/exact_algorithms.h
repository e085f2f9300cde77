// SPDX-License-Identifier: MIT
// Phases of SystemLayer with exact sizes; for layer.cpp only: rounds (ring, direct, halving doubling,
// dissemination) and stages (trees, stars). The endpoint delay, and the reduction if there is one, precede the
// first message and follow each received message.
#pragma once

#include "simulate/system/layer.h"
#include "simulate/system/rounds.h"
#include "simulate/system/stream.h"

namespace convert {

inline bool has_stages(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::binomial_tree || p.algorithm == NativeAlgorithm::star ||
         p.algorithm == NativeAlgorithm::double_binary_tree;
}

// Returns whether messages have two sizes, which are the numbers of their slots.
inline bool has_two_sizes(const PhasePlan& p) { return p.algorithm == NativeAlgorithm::ring && !p.unequal; }

inline std::uint32_t window_of(const PhasePlan& p) { return p.algorithm == NativeAlgorithm::direct ? p.window : 1; }

template <class Observer>
std::int64_t SystemLayer<Observer>::exact_total(const Stream& st) const {
  const CollectivePlan& plan = plan_of(st);
  return total_of(
      plan.phases(st.chunk), plan.bytes_of(st.chunk), st.phase_index,
      [&](const PhasePlan& phase) { return place_in(st, phase); }, plan.rounded);
}

// Returns the bytes of a message between the stream's index in a tree or star and another index.
template <class Observer>
std::int64_t SystemLayer<Observer>::stage_bytes(const Stream& st, std::uint32_t place) const {
  if (!st.phase->unequal) return st.total;
  return unequal_part(st, st.place == st.phase->root ? place : st.place);
}

template <class Observer>
void SystemLayer<Observer>::exact_begin(std::uint32_t s) {
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  st.place = place_in(st, p);
  st.total = exact_total(st);
  st.sent = st.received = 0;
  st.prepared = st.free = 0;
  open_inbox(st, has_two_sizes(p) ? Inbox::Slots::sizes : Inbox::Slots::messages);
  st.in_stages = has_stages(p);
  if (st.in_stages) {
    st.stages = std::make_unique<const std::vector<Stage>>(stages(p, st.place, st.low_root));
    return exact_stage(s);
  }
  for (std::uint32_t i = 0; i < window_of(p); ++i) exact_pass(s, 0);
}

// Starts a local pass: the endpoint delay, and the reduction of `reduced_bytes` bytes.
template <class Observer>
void SystemLayer<Observer>::exact_pass(std::uint32_t s, std::int64_t reduced_bytes) {
  const Stream& st = stream(s);
  const Picoseconds reduction = reduced_bytes == 0 ? 0 : model_.reduction(reduced_bytes);
  events_.add(st.npu, EventQueue::sum(reduction, st.phase->endpoint_delay), {Waiter::phase_step, s});
}

template <class Observer>
void SystemLayer<Observer>::exact_received(std::uint32_t s) {
  Stream& st = stream(s);
  if (st.in_stages) {
    exact_pass(s, (*st.stages)[st.sent].reduces ? st.total : 0);
  } else {
    const std::uint64_t number = st.received++;
    const Collective op = st.phase->op;  // collectives with unequal shards only gather
    if (op != Collective::all_reduce && op != Collective::reduce_scatter) return exact_pass(s, 0);
    const Round r = round(*st.phase, st.place, st.total, number, st.anticlockwise);
    exact_pass(s, r.reduces ? r.in_bytes : 0);
  }
}

template <class Observer>
void SystemLayer<Observer>::exact_step(std::uint32_t s) {
  Stream& st = stream(s);
  ++st.prepared;
  ++st.free;
  if (st.in_stages) {
    if (st.free >= (*st.stages)[st.sent].from.size()) exact_send_stage(s);
    return;
  }
  if (st.sent == 0 && close(s)) return;
  const PhasePlan& p = *st.phase;
  const std::uint64_t all = rounds(p);
  const std::uint32_t window = window_of(p);
  const bool by_size = has_two_sizes(p);
  const std::int64_t smaller = by_size ? st.total / p.members : 0;  // smaller of the two sizes of messages
  const bool in_halves = p.algorithm == NativeAlgorithm::direct && p.op == Collective::all_reduce;
  while (st.sent < all && st.free > 0) {
    if (in_halves && st.sent >= p.members - 1 && st.prepared < window + p.members - 1) return;
    const auto number = static_cast<std::uint32_t>(st.sent);
    ++st.sent;
    --st.free;
    const auto exchange = [&](const Round& r) {
      send_to(st, r.to, by_size ? static_cast<std::uint32_t>(r.out_bytes - smaller) : number, r.out_bytes);
      receive_from(s, r.from, by_size ? static_cast<std::uint32_t>(r.in_bytes - smaller) : number, r.in_bytes);
    };
    if (p.unequal) [[unlikely]]
      exchange(round_of_unequal(st, number));
    else
      exchange(round(p, st.place, st.total, number, st.anticlockwise));
  }
  if (st.sent == all && st.prepared == window + all) end_phase(s);
}

template <class Observer>
void SystemLayer<Observer>::exact_stage(std::uint32_t s) {
  Stream& st = stream(s);
  const Stage& stage = (*st.stages)[st.sent];
  st.free = 0;
  if (stage.from.empty()) return exact_pass(s, 0);
  for (const std::uint32_t place : stage.from)
    receive_from(s, place, slot_in_tree(*st.phase, st.place, place, st.low_root), stage_bytes(st, place));
}

template <class Observer>
void SystemLayer<Observer>::exact_send_stage(std::uint32_t s) {
  Stream& st = stream(s);
  for (const std::uint32_t place : (*st.stages)[st.sent].to) {
    ++st.under_way;
    send_to(st, place, slot_in_tree(*st.phase, place, st.place, st.low_root), stage_bytes(st, place),
            {Waiter::phase_sent, s});
  }
  if (++st.sent < st.stages->size()) return exact_stage(s);
  if (st.under_way == 0) exact_end_stages(s);
}

// A root that only sends ends after the arrival of its messages, like a node that sends.
template <class Observer>
void SystemLayer<Observer>::exact_sent(std::uint32_t s) {
  Stream& st = stream(s);
  if (--st.under_way == 0 && st.sent == st.stages->size()) exact_end_stages(s);
}

template <class Observer>
void SystemLayer<Observer>::exact_end_stages(std::uint32_t s) {
  stream(s).stages.reset();
  stream(s).in_stages = false;
  end_phase(s);
}

}  // namespace convert
