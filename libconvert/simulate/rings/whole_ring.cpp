// SPDX-License-Identifier: MIT
#include "simulate/rings/whole_ring.h"

#include <algorithm>
#include <limits>

#include "simulate/engine/engine.h"

namespace convert {

void LargerMessages::add(const RingRound& r) {
  const auto members = static_cast<std::uint32_t>(more_.size() - 1);
  const std::uint32_t end = r.first_larger + r.larger;
  ++more_[r.first_larger];
  if (end <= members) {
    --more_[end];
  } else {
    ++more_[0];
    --more_[end - members];
  }
}

const std::vector<std::int64_t>& LargerMessages::by_member() {
  for (std::size_t i = 1; i + 1 < more_.size(); ++i) more_[i] += more_[i - 1];
  return more_;
}

void WholeRing::reset(std::uint32_t members) {
  members_ = members;
  times_.resize(std::size_t{members} + 1);
  next_.resize(std::size_t{members} + 1);
  for (std::vector<Picoseconds>& d : delays_) d.resize(members);
  larger_.reset(members);
}

void WholeRing::prepare(std::uint64_t rounds, Picoseconds longest_pass) {
  double longest = static_cast<double>(longest_pass);
  for (const std::vector<Picoseconds>& d : delays_) longest += static_cast<double>(std::ranges::max(d));
  const auto last_begin = static_cast<double>(*std::max_element(times_.begin() + 1, times_.end()));
  may_overflow_ = last_begin + longest * static_cast<double>(rounds) >
                  static_cast<double>(std::numeric_limits<Picoseconds>::max()) / 2;
}

void WholeRing::round(const RingRound& r) {
  times_[0] = times_[members_];
  r.for_each_size(members_, [&](std::uint32_t first, std::uint32_t end, std::size_t size) {
    move(first, end, size, r.pass[size]);
  });
  larger_.add(r);
  times_.swap(next_);
}

void WholeRing::alike(std::uint64_t rounds, Picoseconds pass) {
  const std::uint32_t members = members_;
  if (members == 0) return;
  std::vector<Picoseconds> before;
  while (rounds >= 2 * std::uint64_t{members} && !may_overflow_) {
    before = times_;
    for (std::uint32_t k = 0; k < members; ++k) round({.pass = {pass, 0}});
    rounds -= members;
    const Picoseconds by = times_[1] - before[1];
    bool all = true;
    for (std::uint32_t i = 1; i <= members; ++i) all = all && times_[i] - before[i] == by;
    if (!all) continue;
    const std::uint64_t more = rounds / members;
    for (std::uint32_t i = 1; i <= members; ++i) times_[i] += by * static_cast<Picoseconds>(more);
    rounds -= more * members;
  }
  for (; rounds != 0; --rounds) round({.pass = {pass, 0}});
}

void WholeRing::move(std::uint32_t first, std::uint32_t end, std::size_t size, Picoseconds pass) {
  const Picoseconds* const time = times_.data();
  const Picoseconds* const delay = delays_[size].data();
  Picoseconds* const next = next_.data() + 1;
  if (may_overflow_) {
    for (std::uint32_t i = first; i < end; ++i)
      next[i] = EventQueue::sum(std::max(time[i + 1], EventQueue::sum(time[i], delay[i])), pass);
  } else {
    for (std::uint32_t i = first; i < end; ++i) next[i] = std::max(time[i + 1], time[i] + delay[i]) + pass;
  }
}

}  // namespace convert
