// SPDX-License-Identifier: MIT
#include "simulate/rings/ring_lanes.h"

#include <algorithm>
#include <limits>

namespace convert {

RingLanes::Lane* RingLanes::lane(Rank from, Rank to, const MessageWay& way) {
  const auto [known, is_new] = lanes_.try_emplace(std::uint64_t{from} << 32U | to);
  if (is_new) {
    known->second.free.resize(way.hops.size());
    for (const WireHop& hop : way.hops) {
      if (!wires_.insert(hop.wire).second) return nullptr;
    }
  }
  return &known->second;
}

void LaneRings::reset(std::uint32_t members, std::uint32_t rings, std::size_t hops) {
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
  larger_.assign(rings, std::vector<std::int64_t>(std::size_t{members} + 1));
}

void LaneRings::begins(std::uint32_t member, Picoseconds time) {
  for (std::vector<Picoseconds>& times : times_) times[member + 1] = time;
}

void LaneRings::lane(std::uint32_t member, const std::array<MessageWay, 2>& ways,
                     const std::vector<Picoseconds>& free) {
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    for (std::size_t size = 0; size < ways.size(); ++size) {
      hops_[h].busy[size][member] = ways[size].hops[h].busy;
      hops_[h].arrival[size][member] = ways[size].hops[h].arrival;
    }
    hops_[h].free[member] = free[h];
  }
}

bool LaneRings::is_safe(std::uint64_t rounds, Picoseconds longest_pass) const {
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

void LaneRings::round(std::uint32_t ring, const WholeRing::Round& r) {
  std::vector<Picoseconds>& times = times_[ring];
  times[0] = times[members_];
  // Only at first they are sent at one time, in order.
  if (times_.size() > 1) {
    const Picoseconds after = rounds_[ring]++ == 0 && ring != 0 ? 0 : 1;
    bool in_turns = true;
    for (std::uint32_t i = 0; i < members_; ++i) {
      in_turns &= times[i] >= last_[i] + after;
      last_[i] = times[i];
    }
    in_turns_ = in_turns_ && in_turns;
  } else {
    std::copy_n(times.begin(), members_, last_.begin());
  }
  const auto move = [&](std::uint32_t first, std::uint32_t end, std::size_t size) {
    this->move(ring, first, end, size, r.pass[size]);
  };
  std::vector<std::int64_t>& larger = larger_[ring];
  const std::uint32_t end = r.first_larger + r.larger;
  ++larger[r.first_larger];
  if (end <= members_) {
    move(0, r.first_larger, 0);
    move(r.first_larger, end, 1);
    move(end, members_, 0);
    --larger[end];
  } else {
    move(0, end - members_, 1);
    move(end - members_, r.first_larger, 0);
    move(r.first_larger, members_, 1);
    ++larger[0];
    --larger[end - members_];
  }
  times.swap(next_);
}

void LaneRings::move(std::uint32_t ring, std::uint32_t first, std::uint32_t end, std::size_t size,
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

const std::vector<std::int64_t>& LaneRings::larger_received(std::uint32_t ring) {
  std::vector<std::int64_t>& larger = larger_[ring];
  for (std::uint32_t i = 1; i < members_; ++i) larger[i] += larger[i - 1];
  return larger;
}

}  // namespace convert
