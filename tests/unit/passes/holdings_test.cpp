// SPDX-License-Identifier: MIT
// Chunks held by nodes during a schedule.
#include "passes/ten/holdings.h"

#include <gtest/gtest.h>

#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using enum Schedule::Op;

// Returns the holding of a node at the beginning of a microsecond; `initially` before any arrival.
std::int32_t held(const Holdings& h, std::uint32_t node, std::uint32_t chunk, int us, std::int32_t initially = 0) {
  std::int32_t now = initially;
  for (const Holdings::Change& c : h.changes) {
    if (c.node == node && c.chunk == chunk && c.time <= us * 1'000'000) now = c.held;
  }
  return now;
}

TEST(Holdings, CopiesReplaceAndReductionsAdd) {
  test::ScheduleMaker m(Collective::all_reduce, 3);
  m.chunk({}, {}).move(0, 1, 0, 0, 1, reduce).move(1, 2, 0, 1, 2, reduce).move(2, 0, 0, 2, 3);
  const Holdings h = holdings_of(m.s);
  EXPECT_EQ(held(h, 1, 0, 0, 1), 1);
  EXPECT_EQ(held(h, 1, 0, 1), 2);
  EXPECT_EQ(held(h, 2, 0, 2), 3);
  EXPECT_EQ(held(h, 0, 0, 3), 3);
  EXPECT_EQ(h.cargo, (std::vector<std::int32_t>{2, 3, 3}));
}

TEST(Holdings, WhatIsThereTwiceIsNegative) {
  test::ScheduleMaker m(Collective::all_reduce, 2);
  m.chunk({}, {}).move(0, 1, 0, 0, 1, reduce).move(0, 1, 0, 1, 2, reduce);
  EXPECT_EQ(holdings_of(m.s).cargo, (std::vector<std::int32_t>{2, -2}));
}

TEST(Holdings, NothingComesOfWhatIsNotThere) {
  test::ScheduleMaker m(Collective::custom, 3);
  m.chunk({0}, {2}).move(1, 2, 0, 0, 1).move(0, 1, 0, 1, 2).move(1, 2, 0, 2, 3);
  EXPECT_EQ(holdings_of(m.s).cargo, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST(Holdings, MessagesOfSeveralChunksHaveEach) {
  test::ScheduleMaker m(Collective::custom, 2);
  m.chunk({0}, {1}).chunk({0}, {1}).move(0, 1, 0, 0, 1).with({1});
  const Holdings h = holdings_of(m.s);
  EXPECT_EQ(h.cargo, (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(held(h, 1, 1, 1), 1);
}

}  // namespace
}  // namespace convert
