// SPDX-License-Identifier: MIT
#include "simulate/engine.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace convert {
namespace {

TEST(EventQueue, OrdersByTimeThenInsertion) {
  EventQueue q;
  q.push_after(5, 0, 0);
  q.push_after(3, 1, 0);
  q.push_after(5, 2, 0);
  q.push_after(3, 3, 0);
  std::vector<std::uint32_t> order;
  while (!q.empty()) {
    const Event e = q.pop();
    order.push_back(e.arg);
    EXPECT_EQ(q.now(), e.time);
    if (e.arg == 1) q.push_after(0, 4, 0);  // behind the others of this tick
    if (e.arg == 3) q.push_after(2, 5, 0);  // behind the earlier ones of tick 5
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 4, 0, 2, 5}));
}

TEST(EventQueue, AgreesWithAnOrderedMapOnRandomDelays) {
  for (const std::int64_t spread : {1LL, 10LL, 1000LL, 1'000'000'000'000LL}) {
    EventQueue q;
    std::multimap<Picoseconds, std::uint32_t> model;  // equal keys keep the order of insertion
    std::mt19937_64 random(1);
    std::uint32_t next = 0;
    const auto push = [&] {
      const auto delay = static_cast<Picoseconds>(random() % static_cast<std::uint64_t>(spread));
      model.emplace(q.now() + delay, next);
      q.push_after(delay, next++, 7);
    };
    for (int i = 0; i < 1000; ++i) push();
    while (!q.empty()) {
      ASSERT_EQ(q.next_time(), model.begin()->first);
      const Event e = q.pop();
      ASSERT_EQ(e.time, model.begin()->first);
      ASSERT_EQ(e.arg, model.begin()->second);
      ASSERT_EQ(e.kind, 7U);
      model.erase(model.begin());
      for (std::uint64_t n = next < 50'000 ? random() % 3 : 0; n-- > 0;) push();
    }
    EXPECT_TRUE(model.empty());
  }
}

TEST(EventQueue, RefusesTimesBeyondTheClock) {
  EventQueue q;
  q.push_after(std::numeric_limits<Picoseconds>::max(), 0, 0);
  EXPECT_EQ(q.pop().time, std::numeric_limits<Picoseconds>::max());
  q.push_after(0, 1, 0);
  EXPECT_THROW(q.push_after(1, 2, 0), Error);
}

}  // namespace
}  // namespace convert
