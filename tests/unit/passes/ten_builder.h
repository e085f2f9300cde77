// SPDX-License-Identifier: MIT
// Small schedules for tests of passes: nodes, links of one speed, and transfers as rows.
#pragma once

#include <string>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert::test {

// 1000 bytes take 1 µs: a hop without latency.
inline constexpr double gib_per_us = 1000 / (1.0 * (1 << 30) / 1e6);

class ScheduleMaker {
 public:
  ScheduleMaker(Collective collective, std::uint32_t nodes) {
    s.file = "f";
    s.name = "test";
    s.collective = collective;
    s.nodes = nodes;
    s.chunk_bytes = 1000;
  }

  Schedule s;

  ScheduleMaker& wire(std::uint32_t src, std::uint32_t dst, double latency_us = 0, std::uint32_t rounds = 1) {
    s.wires.push_back({.src = src,
                       .dst = dst,
                       .bandwidth_gib_per_s = gib_per_us,
                       .latency_us = latency_us,
                       .rounds = rounds,
                       .line = 100 + static_cast<std::uint32_t>(s.wires.size())});
    return *this;
  }
  // Empty: all.
  ScheduleMaker& chunk(std::vector<std::uint32_t> pre, std::vector<std::uint32_t> post) {
    const auto line = 200 + static_cast<std::uint32_t>(s.chunks.size());
    s.chunks.push_back({.id = static_cast<std::int64_t>(s.chunks.size()),
                        .bytes = {},
                        .pre = set(pre),
                        .post = set(post),
                        .line = line});
    return *this;
  }
  // In µs; for steps and order unchanged.
  ScheduleMaker& move(std::uint32_t src, std::uint32_t dst, std::uint32_t chunk, double start, double end,
                      Schedule::Op op = Schedule::Op::copy) {
    const double unit = s.time == Schedule::Time::continuous ? 1e6 : 1;
    const auto id = static_cast<std::int32_t>(s.transfers.size());
    s.transfers.push_back({.start = static_cast<std::int64_t>(start * unit),
                           .end = static_cast<std::int64_t>(end * unit),
                           .id = id,
                           .src = src,
                           .dst = dst,
                           .chunk = chunk,
                           .op = op,
                           .line = static_cast<std::uint32_t>(id) + 1});
    return *this;
  }
  // Lets the last transfer carry these chunks too.
  ScheduleMaker& with(const std::vector<std::uint32_t>& chunks) {
    s.transfers.back().more = {static_cast<std::uint32_t>(s.carried.size()),
                               static_cast<std::uint32_t>(chunks.size())};
    s.carried.insert(s.carried.end(), chunks.begin(), chunks.end());
    return *this;
  }
  ScheduleMaker& reduce(std::uint32_t src, std::uint32_t dst, std::uint32_t chunk, double start, double end) {
    return move(src, dst, chunk, start, end, Schedule::Op::reduce);
  }

 private:
  Schedule::NodeSet set(const std::vector<std::uint32_t>& nodes) {
    if (nodes.empty()) return {.all = true};
    const Range range{static_cast<std::uint32_t>(s.members.size()), static_cast<std::uint32_t>(nodes.size())};
    s.members.insert(s.members.end(), nodes.begin(), nodes.end());
    return {.all = false, .of = range};
  }
};

// Both directions between neighbours of a ring.
inline ScheduleMaker ring(Collective collective, std::uint32_t nodes) {
  ScheduleMaker m(collective, nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    m.wire(n, (n + 1) % nodes);
    if (nodes > 2) m.wire((n + 1) % nodes, n);
  }
  return m;
}

}  // namespace convert::test
