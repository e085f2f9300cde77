// SPDX-License-Identifier: MIT
// Closed phases of SystemLayer (see ClosedPhase); for layer.cpp only. In replays of representatives, a phase has
// two events instead of the events of its messages: its last message is sent, and it arrives.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "simulate/system/layer.h"
#include "simulate/system/native_algorithms.h"
#include "simulate/system/rounds.h"
#include "simulate/system/stream.h"

namespace convert {

// Runs the stream's phase, whose first message would be sent now, as a closed phase. Returns false if this is not
// possible; the message must be sent then.
template <class Observer>
bool SystemLayer<Observer>::close(std::uint32_t s) {
  if constexpr (Observer::is_reduced) {
    Stream& st = stream(s);
    if (!st.phase->closed || st.priority != 0 || !observer_.may_close(st.npu, *st.phase)) return false;
    const std::uint32_t number = closed_phase(st);
    const ClosedPhase& phase = closed_phases_[number];
    const auto is_free = [&](std::uint32_t wire) {
      return messages_.is_idle(wire) && observer_.can_claim(wire, st.npu);
    };
    if (phase.legs.empty() || !std::ranges::all_of(phase.wires, is_free)) return false;
    for (const std::uint32_t wire : phase.wires) observer_.claim(wire, st.npu);
    st.closed = number;
    closing_.push_back(s);
    return true;
  } else {
    return false;
  }
}

// Returns the number of the description of the stream's phase; the description has no legs if it cannot be closed.
template <class Observer>
std::uint32_t SystemLayer<Observer>::closed_phase(const Stream& st) {
  const std::int64_t total = model_.rules.parts_are_equal() ? 0 : st.total;
  const auto [known, is_new] = closed_numbers_.try_emplace({st.phase, st.npu, total, st.anticlockwise},
                                                           static_cast<std::uint32_t>(closed_phases_.size()));
  if (is_new) closed_phases_.push_back(describe_closed(st, known->second + std::uint64_t{1}));
  return known->second;
}

template <class Observer>
ClosedPhase SystemLayer<Observer>::describe_closed(const Stream& st, std::uint64_t ring) {
  const PhasePlan& p = *st.phase;
  ClosedPhase phase{.ring = ring, .exchanges = p.algorithm == NativeAlgorithm::halving_doubling};
  const bool fits = model_.rules.parts_are_equal() ? add_bundles(st, phase) : add_rounds(st, phase);
  if (!fits) return {};
  for (ClosedWay& way : phase.ways) {
    for (WireHop& hop : way.hops) {
      if constexpr (Observer::is_reduced) hop.wire = observer_.wire_of(hop.wire);
      if (std::ranges::find(phase.wires, hop.wire) == phase.wires.end()) phase.wires.push_back(hop.wire);
    }
  }
  return phase;
}

// Adds the messages of an algorithm of bundles; see make_bundle().
template <class Observer>
bool SystemLayer<Observer>::add_bundles(const Stream& st, ClosedPhase& phase) {
  const PhasePlan& p = *st.phase;
  Stream bundle;  // the next bundle
  bundle.phase = st.phase;
  bundle.bytes = st.bytes;
  bundle.distance = st.distance;
  bundle.turned = st.turned;
  const auto reduction = [&](std::uint64_t number) {
    if (!bundle_reduces(p, number)) return ClosedLeg::none;
    return phase.exchanges ? model_.reduction(bundle.bytes) : p.reduction;
  };
  std::int64_t bytes = phase.exchanges ? st.ready_bytes : st.bytes;
  std::uint32_t distance = st.ready_distance;
  for (std::uint64_t k = 0; k < p.steps; ++k) {
    if (k != 0) {
      phase.legs.push_back({.pass = p.endpoint_delay, .reduction = reduction(k)});
      if (phase.exchanges) {
        bytes = bundle.bytes;
        distance = bundle.distance;
        halving_doubling_advance(bundle);
      }
    } else {
      phase.legs.emplace_back();
    }
    const std::uint32_t to = phase.exchanges ? st.place ^ distance : neighbour(st, 1, true);
    if (!add_way(st, phase, to, distance, bytes)) return false;
  }
  phase.last_pass = p.endpoint_delay;
  phase.last_reduction = reduction(p.steps);
  return true;
}

// Adds the messages of an algorithm with exact sizes.
template <class Observer>
bool SystemLayer<Observer>::add_rounds(const Stream& st, ClosedPhase& phase) {
  const PhasePlan& p = *st.phase;
  Picoseconds pass = 0;
  for (std::uint64_t k = 0; k < rounds(p); ++k) {
    const Round r = round(p, st.place, st.total, k, st.anticlockwise);
    if (r.in_bytes != r.out_bytes) return false;
    phase.legs.push_back({.pass = pass});
    if (!add_way(st, phase, r.to, st.place ^ r.to, r.out_bytes)) return false;
    const bool reduces = r.reduces && r.in_bytes != 0;
    pass = EventQueue::sum(p.endpoint_delay, reduces ? model_.reduction(r.in_bytes) : 0);
  }
  phase.last_pass = pass;
  return true;
}

// Sets the route of the last leg's message. `distance` is used if indices are found by XOR.
template <class Observer>
bool SystemLayer<Observer>::add_way(const Stream& st, ClosedPhase& phase, std::uint32_t place,
                                    std::uint32_t distance, std::int64_t bytes) {
  ClosedLeg& leg = phase.legs.back();
  const Rank to = member(st, place);
  if (phase.exchanges) leg.distance = distance;
  if (__builtin_add_overflow(phase.bytes, bytes, &phase.bytes)) return false;
  const auto same =
      std::ranges::find_if(phase.ways, [&](const ClosedWay& w) { return w.to == to && w.bytes == bytes; });
  leg.way = static_cast<std::uint32_t>(same - phase.ways.begin());
  if (same != phase.ways.end()) return true;
  std::optional<MessageWay> way = messages_.way(st.npu, to, bytes);
  if (!way) return false;
  phase.ways.push_back({std::move(*way), to, bytes});
  return true;
}

// Runs the phases that were closed during the current entry of an NPU's events.
template <class Observer>
void SystemLayer<Observer>::run_closed() {
  if constexpr (Observer::is_reduced) {
    if (closing_.empty()) return;
    const Rank npu = stream(closing_.front()).npu;
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t s : closing_) numbers.push_back(stream(s).closed);
    const auto [known, is_new] = closed_times_.try_emplace(numbers);
    if (is_new) {
      std::vector<const ClosedPhase*> phases;
      for (const std::uint32_t number : numbers) phases.push_back(&closed_phases_[number]);
      known->second = {closed_times(phases), 0};
      known->second.shape = closed_shapes_.try_emplace(closed_shape(phases), closed_shapes_.size()).first->second;
    }
    const auto& [times, shape] = known->second;
    for (const std::uint32_t s : closing_) {
      const ClosedPhase& phase = closed_phases_[stream(s).closed];
      messages_.count_many(npu, npu, phase.legs.size(), 0, phase.bytes);
      if (!times.settled) observer_.leaves_open(*stream(s).phase, npu);
    }
    const auto later = [&](Picoseconds time) { return EventQueue::sum(queue_.now(), time); };
    for (const auto& wire : times.wires) observer_.claim_until(wire.wire, later(wire.until));
    observer_.closes(npu, later(times.last.back().arrival), times.entries);
    for (const auto& last : times.last) {
      const std::uint32_t s = closing_[last.phase];
      stream(s).arrives = later(last.arrival);
      ClosedCause cause = closed_cause(s, last.distance, shape);
      cause.is_open = last.has_open_place;
      observer_.sends_last_later(s, later(last.sent), stream(s).arrives, cause);
      messages_.send_last(s, last.sent);
    }
    if (messages_.watches()) watch_closed(times);
    closed_phases_run_ += closing_.size();
    closing_.clear();
  }
}

template <class Observer>
ClosedCause SystemLayer<Observer>::closed_cause(std::uint32_t s, std::int64_t distance, std::uint32_t shape) {
  const Stream& st = stream(s);
  const PhasePlan& p = *st.phase;
  ClosedCause cause{.npu = st.npu, .exchange = is_exchange(p), .steps = 1, .shape = shape};
  if (p.algorithm == NativeAlgorithm::ring) {
    cause.to = member(st, neighbour(st, 1, true));
    cause.steps = distance % p.members;
    if (p.class_ring != 0) cause.class_ring = class_ring_of(st);
  } else {
    cause.to = member(st, st.place ^ static_cast<std::uint32_t>(distance));
  }
  return cause;
}

template <class Observer>
void SystemLayer<Observer>::watch_closed(const ClosedTimes& times) {
  for (const auto& sent : times.sent) {
    const Stream& st = stream(closing_[sent.phase]);
    const ClosedPhase& phase = closed_phases_[st.closed];
    const ClosedWay& way = phase.ways[phase.legs[sent.leg].way];
    messages_.watch(st.npu, way.to, way.bytes, queue_.now() + sent.time);
  }
}

// Receives the last message of a closed phase; from here on, the phase continues as other phases do.
template <class Observer>
void SystemLayer<Observer>::take_last_of_closed(std::uint32_t s) {
  Stream& st = stream(s);
  const ClosedPhase& phase = closed_phases_[st.closed];
  if constexpr (Observer::is_reduced) observer_.last_comes(s, st.npu);
  const std::uint64_t messages = phase.legs.size();
  st.steps_left = 0;
  st.sent = messages;
  st.prepared = static_cast<std::uint32_t>(messages);
  const bool reduces = phase.last_reduction != ClosedLeg::none;
  if (reduces) st.reduction = phase.last_reduction;
  events_.add(st.npu, phase.last_pass, {reduces ? Waiter::reduction : Waiter::phase_step, s});
}

}  // namespace convert
