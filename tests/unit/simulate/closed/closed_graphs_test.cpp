// SPDX-License-Identifier: MIT
// What is found of representatives, with phases closed or not, is what a replay of every rank finds.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "sanitized.h"
#include "simulate/symmetry/symmetry.h"
#include "unit/simulate/closed/closed_cases.h"

namespace convert::test {
namespace {

TEST(ClosedGraphs, GiveWhatAllRanksGive) {
  int closed = 0;
  int class_rings = 0;
  const auto rounds = test::rounds<std::uint64_t>(1500);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    ClosedCase c = ClosedCaseMaker(seed).make();
    // Their order on a ring says which end of a wire is told of as exceeded.
    if (c.has_rings()) c.options.network.watch_ports = false;
    ClosedReplay replay(c);
    ASSERT_FALSE(replay.is_refused()) << "seed " << seed << ": " << replay.why();
    const ClosedOutcome with = replay.run(true, true);
    const ClosedOutcome by_message = replay.run(true, false);
    if (with.result.error_bound_ps != 0) {
      ASSERT_EQ(with.text, by_message.text) << "seed " << seed;
    } else {
      const ClosedOutcome every = replay.run(false, false);
      ASSERT_EQ(with.text, every.text) << "seed " << seed;
      ASSERT_EQ(by_message.text, every.text) << "seed " << seed;
    }
    if (!with.result.equivalence) continue;
    closed += with.result.closed_phases != 0 ? 1 : 0;
    class_rings += with.result.equivalence->has_class_rings() ? 1 : 0;
  }
  std::cout << closed << " of " << rounds << " with closed phases, " << class_rings << " with class rings\n";
  EXPECT_GE(closed, static_cast<int>(rounds / 8));
  EXPECT_GE(class_rings, static_cast<int>(rounds / 100));
}

}  // namespace
}  // namespace convert::test
