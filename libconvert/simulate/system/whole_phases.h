// SPDX-License-Identifier: MIT
// Ring phases of SystemLayer as wholes; for layer.cpp only. If messages meet no others, a ring phase needs no
// events: after its last member has begun, all times can be computed. No member ends before that, as its result
// depends on all members. This also holds for rings whose messages share links, if the links are lanes; see
// lane_phases.h.
//
// Each member has one event, at the arrival of its last message; from there on, the phase continues as other phases
// do. Simultaneous events thus keep their order, except for events that were also caused at one time. If the end of
// such a phase meets another such end on its NPU, the order is recorded as undetermined. The replay must then run
// again without whole rings. The order of different NPUs is not preserved, and messages of nodes that send arrive
// in that order. If such a message arrives at an NPU at the time of any other event, the order is recorded as
// undetermined, too; see Replayer::touch().
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "simulate/rings/whole_ring.h"
#include "simulate/system/layer.h"
#include "simulate/system/native_algorithms.h"
#include "simulate/system/stream.h"

namespace convert {

// Returns the index of the member with this number along the messages of its ring, or the reverse.
template <class Observer>
std::uint32_t SystemLayer<Observer>::along_ring(const Stream& st, std::uint32_t place) {
  return st.anticlockwise && place != 0 ? st.phase->members - place : place;
}

template <class Observer>
void SystemLayer<Observer>::begin_whole(std::uint32_t s) {
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  st.place = place_in(st, p);
  st.began = EventQueue::sum(queue_.now(), p.endpoint_delay);
  began_at_zero_ = began_at_zero_ || st.began == 0;
  if (lanes_) return begin_on_lanes(s);
  if (++begun(st, st.chunk) == p.members) run_whole(st);
}

template <class Observer>
RingParts SystemLayer<Observer>::ring_parts(const Stream& st) const {
  const PhasePlan& p = *st.phase;
  if (model_.rules.parts_are_equal()) return {.bytes = p.message_bytes};
  const std::int64_t total = exact_total(st);
  if (p.op == Collective::all_to_all) return {.bytes = part_bytes(total, p.members, 0)};
  return {.bytes = total / p.members,
          .larger = static_cast<std::uint32_t>(total % p.members),
          .scatter = p.op == Collective::all_gather ? 0 : p.members - std::uint64_t{1},
          .backwards = st.anticlockwise};
}

// Returns the time for which a member works on a message of round k before the next.
template <class Observer>
Picoseconds SystemLayer<Observer>::ring_pass(const PhasePlan& p, const RingParts& parts, std::uint64_t k,
                                             std::int64_t bytes) const {
  if (model_.rules.parts_are_equal())
    return EventQueue::sum(p.endpoint_delay, bundle_reduces(p, k + 1) ? p.reduction : 0);
  const bool reduces = k < parts.scatter && bytes != 0;
  return EventQueue::sum(p.endpoint_delay, reduces ? model_.reduction(bytes) : 0);
}

// Runs the stream's phase, which has begun on all members, on all members up to their last messages.
template <class Observer>
void SystemLayer<Observer>::run_whole(const Stream& st) {
  const PhasePlan& p = *st.phase;
  const std::uint32_t n = p.members;
  whole_streams_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) whole_streams_[i] = stream_at(st, along_ring(st, i));
  const RingParts parts = ring_parts(st);
  const std::size_t sizes = parts.larger == 0 ? 1 : 2;
  whole_ring_.reset(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Rank from = stream(whole_streams_[i == 0 ? n - 1 : i - 1]).npu;
    const Stream& to = stream(whole_streams_[i]);
    whole_ring_.begins(i, to.began);
    for (std::size_t size = 0; size < sizes; ++size)
      whole_ring_.delay(i, size, messages_.delay(from, to.npu, parts.bytes + static_cast<std::int64_t>(size)));
  }
  const auto pass = [&](std::uint64_t k) {
    return std::array{ring_pass(p, parts, k, parts.bytes),
                      sizes == 1 ? 0 : ring_pass(p, parts, k, parts.bytes + 1)};
  };
  whole_ring_.prepare(p.steps, EventQueue::sum(p.endpoint_delay, model_.reduction(parts.bytes + 1)));
  if (p.op == Collective::all_to_all) {
    whole_ring_.alike(p.steps - 1, pass(0)[0]);
  } else {
    for (std::uint64_t k = 0; k + 1 < p.steps; ++k)
      whole_ring_.round({parts.first_larger(k, n), parts.larger, pass(k)});
  }
  whole_ring_.round({parts.first_larger(p.steps - 1, n), parts.larger, {}});
  const std::vector<std::int64_t>& larger = whole_ring_.larger_received();
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t next = i + 1 == n ? 0 : i + 1;
    Stream& member = stream(whole_streams_[i]);
    member.whole = true;
    messages_.count_many(member.npu, stream(whole_streams_[next]).npu, p.steps, parts.bytes, larger[next]);
    messages_.come_last(whole_streams_[i], whole_ring_.time(i) - queue_.now());
  }
}

template <class Observer>
void SystemLayer<Observer>::take_last(std::uint32_t s) {
  if constexpr (Observer::is_reduced) return take_last_of_closed(s);
  Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  if (model_.rules.parts_are_equal()) {
    st.steps_left = 0;
    st.reduction = p.reduction;
    if (!bundle_reduces(p, p.steps)) return add_last_pass(s, p.endpoint_delay);
    return events_.add(st.npu, p.endpoint_delay, {Waiter::reduction, s});
  }
  st.sent = p.steps;
  st.prepared = static_cast<std::uint32_t>(p.steps);
  const Round last = round(p, st.place, exact_total(st), p.steps - 1, st.anticlockwise);
  const bool reduces = last.reduces && last.in_bytes != 0;
  add_last_pass(s, EventQueue::sum(p.endpoint_delay, reduces ? model_.reduction(last.in_bytes) : 0));
}

// Registers the end of a phase. Chunks of collectives of one plan in the same phase register in order.
template <class Observer>
void SystemLayer<Observer>::add_last_pass(std::uint32_t s, Picoseconds delay) {
  const Stream& st = stream(s);
  const Waiter before = events_.add_unordered(st.npu, delay, {Waiter::phase_step, s});
  if (before.kind() == Waiter::nobody) return;
  const auto is_before = [&](const Stream& other) {
    const std::uint32_t run = jobs_[other.job].run;
    const std::uint32_t own = jobs_[st.job].run;
    return other.whole && other.phase_index == st.phase_index && runs_[run].plan == runs_[own].plan &&
           std::pair(run, other.chunk) < std::pair(own, st.chunk);
  };
  if (before.kind() != Waiter::phase_step || !is_before(stream(before.index()))) order_is_open_ = true;
}

}  // namespace convert
