// SPDX-License-Identifier: MIT
#include "synthesis/bounds/crossing.h"

#include <algorithm>
#include <utility>

#include "core/algorithm/schedule.h"

namespace convert {
namespace {

constexpr WideUnsigned ps_per_s = 1'000'000'000'000;
constexpr const char* what = "the size for these bandwidths and latencies";

Picoseconds as_time(WideUnsigned ps) {
  if (ps > most_schedule_ps) throw takes_too_long();
  return static_cast<Picoseconds>(ps);
}

// Returns bytes × 10^12; a bandwidth of 1 carries `unit` of it per picosecond.
WideUnsigned amount_of(WideUnsigned bytes) { return checked_product(bytes, ps_per_s, what); }

}  // namespace

Picoseconds earliest(std::vector<LinkRate> lanes, WideUnsigned amount, std::int64_t scale) {
  if (amount == 0) return 0;
  std::sort(lanes.begin(), lanes.end(),
            [](const LinkRate& a, const LinkRate& b) { return a.latency_ps < b.latency_ps; });
  const auto by = static_cast<WideUnsigned>(scale);
  WideUnsigned rates = 0, delayed = 0;  // sums of rate, and of rate × latency
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto rate = static_cast<WideUnsigned>(lanes[i].rate);
    rates += rate;
    delayed = checked_sum(delayed, rate * static_cast<WideUnsigned>(lanes[i].latency_ps), what);
    const WideUnsigned whole = checked_sum(amount, checked_product(delayed, by, what), what);
    const WideUnsigned speed = checked_product(rates, by, what);
    // Lanes with a latency of at least this time carry nothing until then.
    if (speed != 0 && (i + 1 == lanes.size() ||
                       whole <= checked_product(speed, static_cast<WideUnsigned>(lanes[i + 1].latency_ps), what)))
      return as_time(whole / speed);
  }
  throw input_error({}, "no link carries data that must be sent");
}

Picoseconds bandwidth_time(const LinkGraph& graph, std::int64_t bandwidth, WideUnsigned bytes) {
  return earliest({{.rate = bandwidth}}, amount_of(bytes), graph.unit);
}

Picoseconds crossing_time(const LinkGraph& graph, std::span<const std::uint32_t> links, WideUnsigned bytes) {
  std::vector<LinkRate> lanes;
  for (const std::uint32_t l : links) lanes.push_back({graph.links[l].bandwidth, graph.links[l].latency_ps});
  return lanes_time(graph, std::move(lanes), bytes);
}

Picoseconds lanes_time(const LinkGraph& graph, std::vector<LinkRate> lanes, WideUnsigned bytes) {
  return earliest(std::move(lanes), amount_of(bytes), graph.unit);
}

Picoseconds slot_time(const LinkGraph& graph, std::span<const std::uint32_t> links, std::int64_t messages,
                      std::int64_t bytes) {
  if (messages == 0) return 0;
  // A message takes h = step / speed picoseconds, so by time T, speed × T / step messages have arrived.
  struct Slot {
    WideUnsigned step = 0, speed = 0;
  };
  std::vector<Slot> slots;
  for (const std::uint32_t l : links) {
    const LinkGraph::Link& link = graph.links[l];
    const WideUnsigned speed = static_cast<WideUnsigned>(link.bandwidth) * static_cast<WideUnsigned>(graph.unit);
    const WideUnsigned waiting = checked_product(speed, static_cast<WideUnsigned>(link.latency_ps), what);
    slots.push_back({checked_sum(waiting, amount_of(static_cast<WideUnsigned>(bytes)), what), speed});
  }
  const auto arrived = [&](WideUnsigned t) {
    WideUnsigned count = 0;
    for (const Slot& s : slots) count += checked_product(s.speed, t, what) / s.step;
    return count;
  };
  const auto wanted = static_cast<WideUnsigned>(messages);
  WideUnsigned low = 0, high = 1;  // too few messages have arrived at `low`
  while (arrived(high) < wanted) {
    low = high;
    high = 2 * static_cast<WideUnsigned>(as_time(high));
  }
  while (high - low > 1) {
    const WideUnsigned middle = low + (high - low) / 2;
    (arrived(middle) < wanted ? low : high) = middle;
  }
  const bool whole =
      std::any_of(slots.begin(), slots.end(), [&](const Slot& s) { return s.speed * high % s.step == 0; });
  return as_time(whole ? high : low);
}

}  // namespace convert
