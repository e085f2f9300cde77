// SPDX-License-Identifier: MIT
#include "util/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "util/in_turn.h"

namespace convert {
namespace {

class Jobs : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Counts, Jobs, ::testing::Values(0U, 1U, 2U, 8U));

void dawdle(std::size_t i) { std::this_thread::sleep_for(std::chrono::microseconds(i * 7919 % 200)); }

TEST_P(Jobs, WhatIsLeftToItsTurnPrecedesTheResultOrTheException) {
  std::string log;
  const auto work = [&](std::size_t i) {
    EXPECT_TRUE(works_on_item());
    in_turn([&log, i] { log += "a" + std::to_string(i) + ' '; });
    dawdle(20 - i);
    in_turn([&log, i] { log += "b" + std::to_string(i) + ' '; });
    if (i == 3) throw std::runtime_error("third");
    return i;
  };
  const auto consume = [&](std::size_t i, std::size_t) {
    EXPECT_FALSE(works_on_item());
    log += "c" + std::to_string(i) + ' ';
  };
  EXPECT_THROW(for_each_ordered(GetParam(), 20, work, consume), std::runtime_error);
  EXPECT_EQ(log, "a0 b0 c0 a1 b1 c1 a2 b2 c2 a3 b3 ");
}

TEST_P(Jobs, WhatWorkWithinWorkLeavesWaitsForItsOwnTurnOnly) {
  std::string log;
  const auto inner = [&](std::size_t i) {
    std::string own;
    for_each_ordered(
        GetParam(), 3,
        [&](std::size_t k) {
          in_turn([&own, k] { own += std::to_string(k); });
          return k;
        },
        [](std::size_t, std::size_t) {});
    EXPECT_TRUE(works_on_item());
    in_turn([&log, own, i] { log += std::to_string(i) + own + ' '; });
    return i;
  };
  for_each_ordered(GetParam(), 3, inner, [](std::size_t, std::size_t) {});
  EXPECT_EQ(log, "0012 1012 2012 ");
}

TEST(InTurn, OutsideWorkAtOnce) {
  bool done = false;
  in_turn([&] { done = true; });
  EXPECT_TRUE(done);
}

TEST_P(Jobs, ResultsComeInOrderOnTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  for (const std::size_t n : {0UL, 1UL, 2UL, 500UL}) {
    std::vector<std::size_t> seen;
    for_each_ordered(
        GetParam(), n,
        [](std::size_t i) {
          dawdle(i);
          return std::make_unique<std::size_t>(i * i);
        },
        [&](std::size_t i, std::unique_ptr<std::size_t>&& square) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          EXPECT_EQ(*square, i * i);
          seen.push_back(i);
        });
    ASSERT_EQ(seen.size(), n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST_P(Jobs, TheLowestFailureIsThrownInItsTurn) {
  std::size_t consumed = 0;
  std::atomic<std::size_t> begun{0};
  try {
    for_each_ordered(
        GetParam(), 10'000,
        [&](std::size_t i) {
          ++begun;
          if (i == 40) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (i >= 40) throw std::runtime_error("item " + std::to_string(i));
          return i;
        },
        [&](std::size_t i, std::size_t&&) {
          EXPECT_EQ(i, consumed);
          ++consumed;
        });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "item 40");
  }
  EXPECT_EQ(consumed, 40U);
  EXPECT_LE(begun, 40U + 2U * 8U + 8U + 2U * default_jobs()) << "no further work is begun";
}

TEST_P(Jobs, AFailureOfConsumeEndsAll) {
  std::atomic<int> running{0};
  EXPECT_THROW(for_each_ordered(
                   GetParam(), 10'000,
                   [&](std::size_t i) {
                     ++running;
                     dawdle(i);
                     --running;
                     return i;
                   },
                   [&](std::size_t i, std::size_t&&) {
                     if (i == 7) throw std::logic_error("full");
                   }),
               std::logic_error);
  EXPECT_EQ(running, 0);
}

TEST_P(Jobs, TheWindowIsBounded) {
  const std::size_t window = 2UL * (GetParam() == 0 ? default_jobs() : GetParam());
  std::atomic<std::size_t> consumed{0};
  std::atomic<std::size_t> farthest{0};
  for_each_ordered(
      GetParam(), 2000,
      [&](std::size_t i) {
        const std::size_t ahead = i - std::min(i, consumed.load());
        std::size_t before = farthest;
        while (before < ahead && !farthest.compare_exchange_weak(before, ahead)) {
        }
        return i;
      },
      [&](std::size_t i, std::size_t&&) {
        if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++consumed;
      });
  EXPECT_LE(farthest, window);
}

TEST(Parallel, OneJobStaysOnTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  for_each_ordered(
      1, 3, [&](std::size_t) { return std::this_thread::get_id() == caller; },
      [](std::size_t, bool&& same) { EXPECT_TRUE(same); });
}

TEST(Parallel, SeveralJobsRunAtTheSameTime) {
  std::atomic<int> waiting{0};
  for_each_ordered(
      4, 4,
      [&](std::size_t i) {
        ++waiting;
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (waiting < 4 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        return i;
      },
      [](std::size_t, std::size_t&&) {});
  EXPECT_EQ(waiting, 4);
}

TEST(Parallel, DefaultJobsAreTheProcessorsThatMayBeUsed) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(default_jobs(), static_cast<unsigned>(CPU_COUNT(&all)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(default_jobs(), 1U);
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace
}  // namespace convert
