// SPDX-License-Identifier: MIT
#include "simulate/rings/rings_on_lanes.h"

#include <algorithm>
#include <limits>

namespace convert {

namespace {

std::uint64_t ends(Rank from, Rank to) { return std::uint64_t{from} << 32U | to; }

}  // namespace

RingLane* RingLanes::find(Rank from, Rank to) {
  const auto at = lanes_.find(ends(from, to));
  return at == lanes_.end() ? nullptr : &at->second;
}

RingLane* RingLanes::make(Rank from, Rank to, const MessageWay& way) {
  for (const WireHop& hop : way.hops) {
    if (!wires_.insert(hop.wire).second) return nullptr;
  }
  RingLane& lane = lanes_[ends(from, to)];
  lane.free.resize(way.hops.size());
  return &lane;
}

void RingsOnLanes::reset(std::uint32_t members, std::uint32_t rings, std::size_t hops) {
  members_ = members;
  in_turns_ = true;
  times_.resize(rings);
  for (std::vector<Picoseconds>& times : times_) times.resize(std::size_t{members} + 1);
  next_.resize(std::size_t{members} + 1);
  last_.assign(members, -1);
  sent_.resize(members);
  hops_.resize(hops);
  for (HopTimes& hop : hops_) {
    for (auto* of_sizes : {&hop.busy, &hop.arrival}) {
      for (std::vector<Picoseconds>& times : *of_sizes) times.resize(members);
    }
    hop.free.resize(members);
  }
  rounds_.assign(rings, 0);
  larger_.resize(rings);
  for (LargerMessages& larger : larger_) larger.reset(members);
}

void RingsOnLanes::begins(std::uint32_t member, Picoseconds time) {
  for (std::vector<Picoseconds>& times : times_) times[member + 1] = time;
}

void RingsOnLanes::lane(std::uint32_t member, const RingLane& lane) {
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    for (std::size_t size = 0; size < lane.ways.size(); ++size) {
      hops_[h].busy[size][member] = lane.ways[size].hops[h].busy;
      hops_[h].arrival[size][member] = lane.ways[size].hops[h].arrival;
    }
    hops_[h].free[member] = lane.free[h];
  }
}

void RingsOnLanes::leave(std::uint32_t member, RingLane& lane) const {
  lane.is_taken = false;
  lane.last_send = last_[member];
  for (std::size_t h = 0; h < hops_.size(); ++h) lane.free[h] = hops_[h].free[member];
}

bool RingsOnLanes::is_safe(std::uint64_t rounds, Picoseconds longest_pass) const {
  double longest = static_cast<double>(longest_pass);
  auto latest = static_cast<double>(*std::max_element(times_[0].begin() + 1, times_[0].end()));
  for (const HopTimes& hop : hops_) {
    for (std::size_t size = 0; size < hop.busy.size(); ++size) {
      longest += static_cast<double>(std::ranges::max(hop.busy[size]));
      longest += static_cast<double>(std::ranges::max(hop.arrival[size]));
    }
    latest = std::max(latest, static_cast<double>(std::ranges::max(hop.free)));
  }
  return latest + longest * static_cast<double>(rounds) * static_cast<double>(times_.size()) <
         static_cast<double>(std::numeric_limits<Picoseconds>::max()) / 2;
}

void RingsOnLanes::round(std::uint32_t ring, const RingRound& r) {
  std::vector<Picoseconds>& times = times_[ring];
  times[0] = times[members_];
  note_turns(ring);
  r.for_each_size(members_, [&](std::uint32_t first, std::uint32_t end, std::size_t size) {
    move(ring, first, end, size, r.pass[size]);
  });
  larger_[ring].add(r);
  times.swap(next_);
}

// Rings can send at the same time only at first, when they begin in order. A single ring keeps its own order.
void RingsOnLanes::note_turns(std::uint32_t ring) {
  const std::vector<Picoseconds>& times = times_[ring];
  const bool may_meet = times_.size() == 1 || (rounds_[ring] == 0 && ring != 0);
  ++rounds_[ring];
  bool in_turns = true;
  for (std::uint32_t i = 0; i < members_; ++i) {
    in_turns &= times[i] >= last_[i] + (may_meet ? 0 : 1);
    last_[i] = times[i];
  }
  in_turns_ = in_turns_ && in_turns;
}

void RingsOnLanes::move(std::uint32_t ring, std::uint32_t first, std::uint32_t end, std::size_t size,
                        Picoseconds pass) {
  const Picoseconds* const time = times_[ring].data();
  Picoseconds* const sent = sent_.data();
  std::copy(time + first, time + end, sent + first);
  for (HopTimes& hop : hops_) {
    const Picoseconds* const busy = hop.busy[size].data();
    const Picoseconds* const arrival = hop.arrival[size].data();
    Picoseconds* const free = hop.free.data();
    for (std::uint32_t i = first; i < end; ++i) {
      const Picoseconds begin = std::max(sent[i], free[i]);
      free[i] = begin + busy[i];
      sent[i] = begin + arrival[i];
    }
  }
  Picoseconds* const next = next_.data() + 1;
  for (std::uint32_t i = first; i < end; ++i) next[i] = std::max(time[i + 1], sent[i]) + pass;
}

}  // namespace convert
