// SPDX-License-Identifier: MIT
// Ring phases of SystemLayer on lanes (see RingsOnLanes); for layer.cpp only. After all rings that begin together
// have begun on all members, their times can be computed. As in whole_phases.h, each member has one event per ring.
// If an assumption does not hold, the order is recorded as undetermined, and the replay must run again without
// lanes.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "simulate/rings/rings_on_lanes.h"
#include "simulate/rings/whole_rings.h"
#include "simulate/system/layer.h"
#include "simulate/system/stream.h"

namespace convert {

template <class Observer>
void SystemLayer<Observer>::begin_on_lanes(std::uint32_t s) {
  const Stream& st = stream(s);
  const std::uint32_t n = st.phase->members;
  const std::uint32_t rings = rings_at_once(plan_of(st), model_);
  std::uint32_t& number = begun(st, rings == 1 ? st.chunk : 0);
  if (number == 0) {
    ring_sets_.push_back({.anticlockwise = st.anticlockwise,
                          .streams = std::vector<std::uint32_t>(std::size_t{n} * rings),
                          .begins = std::vector<Picoseconds>(n),
                          .lanes = std::vector<RingLane*>(n)});
    number = static_cast<std::uint32_t>(ring_sets_.size());
  }
  RingSet& set = ring_sets_[number - 1];
  const std::uint32_t member = along_ring(st, st.place);
  const auto ring = static_cast<std::uint32_t>(rings == 1 ? 0 : st.chunk);
  if (ring == 0) {
    set.begins[member] = st.began;
    set.lanes[member] = take_lane(st);
  }
  order_is_open_ = order_is_open_ || set.lanes[member] == nullptr || set.begins[member] != st.began ||
                   set.anticlockwise != st.anticlockwise;
  set.streams[std::size_t{ring} * n + member] = s;
  if (++set.begun == set.streams.size() && !order_is_open_) run_on_lanes(set);
}

// Returns the lane from the stream's NPU to the next, for a set of rings; null if others use it.
template <class Observer>
RingLane* SystemLayer<Observer>::take_lane(const Stream& st) {
  const Rank next = member(st, neighbour(st, 1, true));
  RingLane* lane = lanes_->find(st.npu, next);
  if (lane == nullptr) {
    const std::optional<MessageWay> way = messages_.way(st.npu, next, 0);
    lane = way ? lanes_->make(st.npu, next, *way) : nullptr;
  }
  if (lane == nullptr || lane->is_taken || lane->last_send >= st.began) return nullptr;
  lane->is_taken = true;
  return lane;
}

template <class Observer>
void SystemLayer<Observer>::run_on_lanes(RingSet& set) {
  const auto n = static_cast<std::uint32_t>(set.begins.size());
  const auto rings = static_cast<std::uint32_t>(set.streams.size() / n);
  const PhasePlan& p = *stream(set.streams[0]).phase;
  std::vector<RingParts> parts;
  for (std::uint32_t r = 0; r < rings; ++r) parts.push_back(ring_parts(stream(set.streams[std::size_t{r} * n])));
  const std::int64_t bytes = std::ranges::min(parts, {}, &RingParts::bytes).bytes;
  for (RingParts& of : parts) {  // chunks may differ by a byte too
    if (of.bytes == bytes + 1 && of.larger == 0) of = {bytes, n, of.scatter, of.backwards};
  }
  const bool fits = std::ranges::all_of(parts, [&](const RingParts& of) { return of.bytes == bytes; });
  if (!fits || !prepare_lanes(set, p, bytes)) {
    order_is_open_ = true;
    return;
  }
  for (std::uint64_t k = 0; k < p.steps; ++k) {
    const bool last = k + 1 == p.steps;
    for (std::uint32_t r = 0; r < rings; ++r) {
      RingRound round{parts[r].first_larger(k, n), parts[r].larger, {}};
      if (!last) round.pass = {ring_pass(p, parts[r], k, bytes), ring_pass(p, parts[r], k, bytes + 1)};
      rings_on_lanes_.round(r, round);
    }
  }
  if (rings_on_lanes_.in_turns()) {
    end_on_lanes(set, p, bytes);
  } else {
    order_is_open_ = true;
  }
  set = {};
}

// Returns false if the lanes do not fit together, or if the clock might overflow.
template <class Observer>
bool SystemLayer<Observer>::prepare_lanes(RingSet& set, const PhasePlan& p, std::int64_t bytes) {
  const auto n = static_cast<std::uint32_t>(set.begins.size());
  const std::size_t hops = set.lanes[0]->free.size();
  rings_on_lanes_.reset(n, static_cast<std::uint32_t>(set.streams.size() / n), hops);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t from = i == 0 ? n - 1 : i - 1;
    RingLane& lane = *set.lanes[from];
    if (lane.free.size() != hops) return false;
    if (lane.bytes != bytes) {
      lane.bytes = bytes;
      for (std::size_t size = 0; size < lane.ways.size(); ++size)
        lane.ways[size] = *messages_.way(stream(set.streams[from]).npu, stream(set.streams[i]).npu,
                                         bytes + static_cast<std::int64_t>(size));
    }
    rings_on_lanes_.begins(i, set.begins[i]);
    rings_on_lanes_.lane(i, lane);
  }
  return rings_on_lanes_.is_safe(p.steps, EventQueue::sum(p.endpoint_delay, model_.reduction(bytes + 1)));
}

template <class Observer>
void SystemLayer<Observer>::end_on_lanes(const RingSet& set, const PhasePlan& p, std::int64_t bytes) {
  const auto n = static_cast<std::uint32_t>(set.begins.size());
  const auto after = [n](std::uint32_t i) { return i + 1 == n ? 0 : i + 1; };
  for (std::uint32_t i = 0; i < n; ++i) rings_on_lanes_.leave(after(i), *set.lanes[i]);
  for (std::uint32_t r = 0; r * std::size_t{n} < set.streams.size(); ++r) {
    const std::vector<std::int64_t>& larger = rings_on_lanes_.larger_received(r);
    const std::uint32_t* const streams = &set.streams[std::size_t{r} * n];
    for (std::uint32_t i = 0; i < n; ++i) {
      Stream& member = stream(streams[i]);
      member.whole = true;
      messages_.count_many(member.npu, stream(streams[after(i)]).npu, p.steps, bytes, larger[after(i)]);
      messages_.come_last(streams[i], rings_on_lanes_.time(r, i) - queue_.now());
    }
  }
}

}  // namespace convert
