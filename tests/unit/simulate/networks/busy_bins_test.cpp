// SPDX-License-Identifier: MIT
// Bins of busy links, up to the end of the clock.
#include "simulate/networks/busy_bins.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace convert::test {
namespace {

constexpr Picoseconds clock_end = std::numeric_limits<Picoseconds>::max();

std::vector<std::uint8_t> shares(const BusyBins& bins, std::uint32_t wire, Picoseconds reached) {
  std::vector<std::uint8_t> all;
  bins.append(wire, bins.count(reached), all);
  return all;
}

TEST(BusyBins, GrowWithTheRun) {
  BusyBins bins;
  bins.add(3, 0, 500);
  bins.add(3, 1500, 4000);
  EXPECT_EQ(bins.width(), 1000);
  EXPECT_EQ(shares(bins, 3, 4001), (std::vector<std::uint8_t>{128, 128, 255, 255, 0}));
  bins.add(3, 512'000, 513'000);
  EXPECT_EQ(bins.width(), 2000);
  EXPECT_EQ(bins.count(513'000), 257U);
  EXPECT_EQ(shares(bins, 3, 4000), (std::vector<std::uint8_t>{128, 255}));
}

TEST(BusyBins, ReachTheEndOfTheClock) {
  BusyBins bins;
  bins.add(0, 0, clock_end);
  std::vector<std::uint8_t> all = shares(bins, 0, clock_end);
  EXPECT_EQ(all.size(), bins.count(clock_end));
  EXPECT_GT(all.back(), 0);  // the clock ends in this bin
  all.pop_back();
  for (const std::uint8_t share : all) EXPECT_EQ(share, 255);
  bins.add(1, clock_end - 10, clock_end);
  EXPECT_EQ(shares(bins, 1, clock_end).front(), 0);
}

}  // namespace
}  // namespace convert::test
