// SPDX-License-Identifier: MIT
#include "scenario/bench/call_series.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/bench/call_bench.h"

namespace convert {
namespace {

TEST(CallSeries, SizesAreRoundedAsInNcclTests) {
  const auto rounded = [](Collective op, std::int64_t bytes, std::uint32_t npus) {
    const ElementCount e = round_to_elements(op, bytes, npus);
    return std::pair(e.count, e.bytes);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(rounded(Collective::all_reduce, 11, 8), Pair(2, 8));
  EXPECT_EQ(rounded(Collective::broadcast, 1024, 6), Pair(256, 1024));
  // Parts are whole 16 bytes: 1 MiB for 12 ranks is 21,844 elements each, rounded down from 21,845.
  EXPECT_EQ(rounded(Collective::all_gather, 1 << 20, 12), Pair(21844, 1048512));
  EXPECT_EQ(rounded(Collective::reduce_scatter, 128, 8), Pair(4, 128));
  EXPECT_EQ(rounded(Collective::all_to_all, 127, 8), Pair(0, 0));
}

TEST(CallSeries, BandwidthsOfNcclTests) {
  const CallSeries series{.collective = Collective::all_reduce, .npus = 8};
  const TimedCall call{.bytes = 1'000'000, .time = 20 * ps_per_us};
  EXPECT_DOUBLE_EQ(algorithm_bandwidth(call), 50);
  EXPECT_DOUBLE_EQ(bus_bandwidth(series, call), 87.5);
  EXPECT_EQ(algorithm_bandwidth({.bytes = 1}), 0);
}

TEST(CallSeries, NamesAreWhatDiffers) {
  const CallSeries one{.npus = 8, .nodes = 1, .network = "dgx-h100"};
  CallSeries ring = one;
  ring.choice = "ring";
  CallSeries other = ring;
  other.network = "dgx-a100";
  using Names = std::vector<std::string>;
  EXPECT_EQ(series_names(std::vector{one}), Names{"all_reduce"});
  EXPECT_EQ(series_names(std::vector{one, ring}), (Names{"library", "ring"}));
  EXPECT_EQ(series_names(std::vector{ring, other}), (Names{"dgx-h100", "dgx-a100"}));
}

TEST(CallBench, AReplayTakesAsLongAsTheLibrary) {
  BenchRequest request{.collective = Collective::all_to_all, .network = "dgx-h100,nodes=2"};
  const auto direct = CallBench(request).time(1 << 24);
  request.settings = {{.key = "symmetry", .values = {{"false"}}, .option = "--set"}};
  const auto replayed = CallBench(request).time(1 << 24);
  ASSERT_TRUE(direct && replayed);
  EXPECT_EQ(direct->time, replayed->time);
  EXPECT_EQ(direct->algorithm, replayed->algorithm);
  EXPECT_EQ(direct->source, replayed->source);
}

}  // namespace
}  // namespace convert
