// SPDX-License-Identifier: MIT
#include "simulate/engine/npu_events.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "simulate/engine/observer.h"

namespace convert {
namespace {

TEST(NpuEvents, EventsOfOneNpuRunTogetherAtThePlaceOfTheFirst) {
  EventQueue q;
  NoObserver nobody(q);
  NpuEvents<NoObserver> events(q, 2, nobody);
  events.add(0, 10, {Waiter::op, 100});
  events.add(1, 10, {Waiter::op, 200});
  events.add(0, 20, {Waiter::op, 101});
  events.add(0, 10, {Waiter::op, 102});  // runs before 200
  std::vector<std::uint32_t> order;
  while (!q.empty()) {
    const Event e = q.pop();
    EXPECT_EQ(e.kind(), event_npu);
    events.run(e.arg(), [&](Rank, Waiter what) { order.push_back(what.index()); });
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{100, 102, 200, 101}));
}

TEST(NpuEvents, WhatIsAddedForNowRunsInTheSamePass) {
  EventQueue q;
  NoObserver nobody(q);
  NpuEvents<NoObserver> events(q, 2, nobody);
  events.add(0, 10, {Waiter::op, 100});
  events.add(0, 10, {Waiter::op, 101});
  events.add(1, 10, {Waiter::op, 200});
  std::vector<std::uint32_t> order;
  while (!q.empty()) {
    events.run(q.pop().arg(), [&](Rank npu, Waiter what) {
      order.push_back(what.index());
      if (what.index() < 102) events.add(npu, 0, {Waiter::op, what.index() + 2});
    });
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{100, 101, 102, 103, 200}));
}

TEST(NpuEvents, KeepsManyDistinctTimesApart) {
  EventQueue q;
  NoObserver nobody(q);
  NpuEvents<NoObserver> events(q, 3, nobody);
  std::mt19937 random(1);
  std::map<std::uint32_t, Picoseconds> due;
  std::uint32_t next = 0;
  const auto add = [&] {
    const Picoseconds delay = 1 + random() % 500;
    due[next] = q.now() + delay;
    events.add(static_cast<Rank>(random() % 3), delay, {Waiter::op, next++});
  };
  for (int i = 0; i < 2000; ++i) add();
  while (!q.empty()) {
    events.run(q.pop().arg(), [&](Rank, Waiter what) {
      ASSERT_EQ(due.at(what.index()), q.now());
      due.erase(what.index());
      if (next < 20'000) add();
    });
  }
  EXPECT_TRUE(due.empty());
}

}  // namespace
}  // namespace convert
