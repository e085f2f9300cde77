// SPDX-License-Identifier: MIT
#include "synthesis/list_schedule.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

// Some messages over one link, one after the other.
Moves messages(const SynthesisProblem& problem, std::uint32_t count, std::int64_t bytes) {
  Moves moves;
  for (std::uint32_t i = 0; i < count; ++i) {
    moves.pieces.push_back({.owner = 0, .bytes = bytes});
    (void)moves.add(problem.graph, i, 0, no_index);
  }
  return moves;
}

TEST(ListSchedule, RefusesTimesThatSchedulesCannotHave) {
  const SynthesisProblem problem =
      test::problem_of(parse_short_network("ring:4,bw=1B/s"), Collective::all_gather, 1000);
  constexpr Picoseconds second = 1'000'000'000'000;
  EXPECT_EQ(list_schedule(problem, messages(problem, 4, 1'000'000), ServeOrder::pieces).total, 4'000'000 * second);
  for (const std::uint32_t count : {5U, 9U, 20U}) {
    EXPECT_EQ(test::error_text(
                  [&] { (void)list_schedule(problem, messages(problem, count, 1'000'000), ServeOrder::pieces); },
                  Error::Kind::input),
              ": the collective takes more than 53 days; check size, bandwidths and latencies");
  }
  EXPECT_EQ(test::error_text([&] { (void)hop_time(problem, 0, 5'000'000); }, Error::Kind::input),
            "ring:4,bw=1B/s: a message of 4.768 MiB over the link from npu0 to npu1 takes more than 53 days");
}

}  // namespace
