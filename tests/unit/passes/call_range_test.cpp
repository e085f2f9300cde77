// SPDX-License-Identifier: MIT
// Calls that programs declare: around a size, between two sizes, and below the size at which steps hang.
#include "passes/lower/call_range.h"

#include <gtest/gtest.h>

#include "collectives/collective.h"
#include "core/algorithm/messages.h"

namespace convert {
namespace {

TEST(CallRange, AroundASize) {
  EXPECT_EQ(calls_around(1).min, 0);
  EXPECT_EQ(calls_around(1).max, 2);
  EXPECT_EQ(calls_around(1000).min, 500);
  EXPECT_EQ(calls_around(INT64_MAX).max, 0);  // no limit
}

TEST(CallRange, BetweenSizesNoCallIsLeftOut) {
  EXPECT_EQ(calls_between(1 << 10, 1 << 20, 8), 1 << 15);
  EXPECT_EQ(calls_between(1000, 9000, 7) % 14, 0);
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{5}, std::int64_t{4096}, INT64_MAX / 2}) {
    for (const std::int64_t more : {1, 2, 3, 1000}) {
      const std::int64_t between = calls_between(size, size + more, 3);
      EXPECT_GT(between, size);
      EXPECT_LE(between, size + more);
    }
  }
}

TEST(CallRange, ChunksOfMessages) {
  constexpr std::int64_t message = message_bytes(Protocol::simple, Collective::all_reduce, msccl_limits);
  EXPECT_EQ(message, 2 << 20);
  EXPECT_EQ(message_bytes(Protocol::simple, Collective::broadcast, rccl_limits), 512 << 10);
  EXPECT_EQ(chunks_per_message(message, 8 << 20, 8), 2);
  EXPECT_EQ(chunks_per_message(message, (8 << 20) + 1, 8), 1);
  EXPECT_EQ(chunks_per_message(message, 1, 8), max_step_chunks);
  EXPECT_EQ(chunks_per_message(message, 0, 8), 1);  // no limit
  for (std::int32_t carried = 2; carried <= max_step_chunks; ++carried) {
    const std::int64_t most = most_bytes_of_calls(message, carried, 12);
    EXPECT_GE(chunks_per_message(message, most, 12), carried);
    EXPECT_LT(chunks_per_message(message, most + 1, 12), carried);
  }
}

TEST(CallRange, EndsBelowTheCallsInWhichStepsHang) {
  CollectiveRequest request{.collective = Collective::all_gather, .algorithm = "halving_doubling", .ranks = 8};
  Algorithm a = build_collective(request);
  EXPECT_EQ(set_calls(a, {1, 100}), std::nullopt);
  EXPECT_EQ(a.max_bytes, 100);
  EXPECT_EQ(set_calls(a, {1, 0}), 8 << 20);
  EXPECT_EQ(a.max_bytes, 8 << 20);
  EXPECT_EQ(a.min_bytes, 1);
  EXPECT_EQ(set_calls(a, {1 << 30, 0}), 8 << 20);
  EXPECT_EQ(a.min_bytes, 0);  // no size would remain
  request.largest_call = 0;
  a = build_collective(request);
  EXPECT_EQ(set_calls(a, {1 << 30, 0}), std::nullopt);
  EXPECT_EQ(a.max_bytes, 0);
}

}  // namespace
}  // namespace convert
