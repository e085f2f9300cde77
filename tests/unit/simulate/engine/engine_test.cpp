// SPDX-License-Identifier: MIT
#include "simulate/engine/engine.h"

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
    order.push_back(e.arg());
    EXPECT_EQ(q.now(), e.time);
    if (e.arg() == 1) q.push_after(0, 4, 0);  // after the others of this tick
    if (e.arg() == 3) q.push_after(2, 5, 0);  // after the earlier ones of tick 5
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 3, 4, 0, 2, 5}));
}

// An event queue compared with an ordered map, in which equal keys keep the order of insertion.
class Twins {
 public:
  void push(Picoseconds delay) {
    model_.emplace(queue_.now() + delay, next_);
    queue_.push_after(delay, next_++, 7);
  }
  void pop() {
    ASSERT_EQ(queue_.next_time(), model_.begin()->first);
    const Event e = queue_.pop();
    ASSERT_EQ(e.time, model_.begin()->first);
    ASSERT_EQ(e.arg(), model_.begin()->second);
    ASSERT_EQ(e.kind(), 7U);
    model_.erase(model_.begin());
    ASSERT_EQ(queue_.empty(), model_.empty());
  }
  [[nodiscard]] bool empty() const { return model_.empty(); }
  [[nodiscard]] std::uint32_t pushed() const { return next_; }

 private:
  EventQueue queue_;
  std::multimap<Picoseconds, std::uint32_t> model_;
  std::uint32_t next_ = 0;
};

TEST(EventQueue, AgreesWithAnOrderedMapOnRandomDelays) {
  for (const std::uint64_t spread : {1ULL, 10ULL, 1000ULL, 1'000'000'000'000ULL}) {
    Twins twins;
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) twins.push(static_cast<Picoseconds>(random() % spread));
    while (!twins.empty() && !HasFatalFailure()) {
      twins.pop();
      for (std::uint64_t n = twins.pushed() < 50'000 ? random() % 3 : 0; n-- > 0;)
        twins.push(static_cast<Picoseconds>(random() % spread));
    }
  }
}

// Between distant events, there are bursts of close ones, at one time or at several.
TEST(EventQueue, AgreesWithAnOrderedMapOnBursts) {
  for (const std::uint64_t spread : {1ULL, 3ULL, 1000ULL, 1'000'000'000ULL}) {
    Twins twins;
    std::mt19937_64 random(2);
    for (int i = 0; i < 40; ++i) twins.push(static_cast<Picoseconds>(random() % 1'000'000'000'000U));
    while (!twins.empty() && !HasFatalFailure()) {
      twins.pop();
      if (twins.pushed() > 50'000 || random() % 10 != 0) continue;
      for (int i = 0; i < 2000; ++i) twins.push(static_cast<Picoseconds>(random() % spread));
    }
    EXPECT_GT(twins.pushed(), 40U);
  }
}

// Takes an event that upcoming() has returned; it is the next one, as nothing is pushed in between.
TEST(EventQueue, TellsWhatComesNext) {
  for (const std::uint64_t spread : {1ULL, 5ULL, 1000ULL, 1'000'000'000ULL}) {
    EventQueue q;
    std::mt19937_64 random(3);
    for (std::uint32_t i = 0; i < 3000; ++i) q.push_after(static_cast<Picoseconds>(random() % spread), i, 0);
    int told = 0;
    while (q.ready()) {
      ASSERT_NE(q.upcoming(0), nullptr);
      std::vector<std::uint32_t> next;
      for (std::uint32_t ahead = 0; ahead < 12; ++ahead) {
        const Event* e = q.upcoming(ahead);
        if (e == nullptr) break;
        next.push_back(e->arg());
      }
      told += static_cast<int>(next.size());
      for (const std::uint32_t arg : next) {
        ASSERT_TRUE(q.ready());
        ASSERT_EQ(q.take().arg(), arg);
      }
      if (told < 20'000) q.push_after(static_cast<Picoseconds>(random() % spread), 3000, 0);
    }
    EXPECT_TRUE(q.empty());
    EXPECT_GE(told, 3000);
  }
}

// Events pushed for the current time follow all others of that time, even beyond the sorted run and a chunk.
TEST(EventQueue, KeepsManyOfOneTimeInOrder) {
  for (const Picoseconds begin : {0, 7}) {
    EventQueue q;
    std::uint32_t pushed = 0;
    for (; pushed < 10; ++pushed) q.push_after(begin, pushed, 0);
    std::uint32_t taken = 0;
    for (; q.ready(); ++taken) {
      ASSERT_EQ(q.take().arg(), taken);
      for (int i = 0; i < 3 && pushed < 2000; ++i) q.push_after(0, pushed++, 0);
      ASSERT_EQ(q.now(), begin);
    }
    EXPECT_EQ(taken, 2000U);
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
