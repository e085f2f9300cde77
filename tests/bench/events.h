// SPDX-License-Identifier: MIT
// A heap of events: the floor of all simulations.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace bench {

// Takes the earliest of `waiting` events of 24 bytes, and replaces it by another one, `count` times.
inline void hold_events(std::uint64_t count, std::uint32_t waiting) {
  struct Event {
    std::uint64_t time;
    std::uint64_t number;  // the order of events at one time
    std::uint64_t what;
    bool operator>(const Event& e) const { return std::tie(time, number) > std::tie(e.time, e.number); }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue;
  std::uint64_t random = 1;
  const auto later = [&random](std::uint64_t now) {
    random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
    return now + (random >> 44U);
  };
  for (std::uint64_t i = 0; i < waiting; ++i) queue.push({later(0), i, i});
  for (std::uint64_t i = 0; i < count; ++i) {
    const Event e = queue.top();
    queue.pop();
    queue.push({later(e.time), waiting + i, e.what});
  }
  if (queue.size() != waiting) std::abort();  // prevents the compiler from removing the work
}

}  // namespace bench
