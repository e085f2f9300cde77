// SPDX-License-Identifier: MIT
#include "simulate/npu_events.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace convert {
namespace {

TEST(NpuEvents, EventsOfOneNpuRunTogetherAtThePlaceOfTheFirst) {
  EventQueue q;
  NpuEvents events(q, 2);
  events.add(0, 10, 100);
  events.add(1, 10, 200);
  events.add(0, 20, 101);
  events.add(0, 10, 102);  // runs before 200
  std::vector<std::uint32_t> order;
  while (!q.empty()) {
    const Event e = q.pop();
    EXPECT_EQ(e.kind, event_npu);
    events.run(e.arg, [&](std::uint32_t what) { order.push_back(what); });
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{100, 102, 200, 101}));
}

TEST(NpuEvents, KeepsManyDistinctTimesApart) {
  EventQueue q;
  NpuEvents events(q, 3);
  std::mt19937 random(1);
  std::map<std::uint32_t, Picoseconds> due;
  std::uint32_t next = 0;
  const auto add = [&] {
    const Picoseconds delay = 1 + random() % 500;
    due[next] = q.now() + delay;
    events.add(static_cast<Rank>(random() % 3), delay, next++);
  };
  for (int i = 0; i < 2000; ++i) add();
  while (!q.empty()) {
    events.run(q.pop().arg, [&](std::uint32_t what) {
      ASSERT_EQ(due.at(what), q.now());
      due.erase(what);
      if (next < 20'000) add();
    });
  }
  EXPECT_TRUE(due.empty());
}

}  // namespace
}  // namespace convert
