// SPDX-License-Identifier: MIT
#include "synthesis/bounds/report.h"

#include <gtest/gtest.h>

#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

TEST(BoundsReportTest, NamesDevicesShortly) {
  WireGraph wires{.npus = 100, .switches = 3};
  const auto text = [&](const std::vector<Device>& devices) { return devices_text(wires, devices); };
  EXPECT_EQ(text({7}), "NPU 7");
  EXPECT_EQ(text({0, 1, 2, 5}), "NPUs 0-2, 5");
  EXPECT_EQ(text({98, 99, 100, 102}), "NPUs 98-99, switch0, switch2");
  EXPECT_EQ(text({101}), "switch1");
  std::vector<Device> even(50);
  for (std::uint32_t i = 0; i < 50; ++i) even[i] = 2 * i;
  EXPECT_EQ(text(even), "NPUs 0, 2, 4, 6, 8, 10, 12, 14, ... (50 NPUs)");
  even.push_back(100);
  EXPECT_EQ(text(even), "NPUs 0, 2, 4, 6, 8, 10, 12, 14, ... (50 NPUs and 1 switch)");
  wires.switch_names = {"spine", "leaf", "rail"};
  EXPECT_EQ(text({3, 100, 101}), "NPU 3, spine, leaf");
}

TEST(BoundsReportTest, TellsTheSmallerSideOfACut) {
  // Two boxes of three, joined by one link each way.
  NetworkConfig network{.source = "boxes"};
  network.graph.npus = 6;
  for (const Device box : {0U, 3U}) {
    for (Device d = 0; d < 3; ++d) {
      test::add_wire(network.graph, box + d, box + (d + 1) % 3, 100);
      test::add_wire(network.graph, box + (d + 1) % 3, box + d, 100);
    }
  }
  test::add_wire(network.graph, 0, 3, 25);
  test::add_wire(network.graph, 4, 1, 10);
  const auto told = [&](Collective c, std::optional<Rank> root) {
    const auto p = test::problem_of(network, c, 1'000'000, std::nullopt, root);
    return bounds_text(p, find_bounds(p));
  };
  EXPECT_EQ(told(Collective::all_gather, {}),
            "all_gather, 6 NPUs, 976.6 KiB each: 300.5 µs at least (latency 1.5 µs from NPU 1 to NPU 4, bandwidth "
            "300 µs = 3/10000 µs/byte: out of NPUs 3-5)\n");
  EXPECT_EQ(
      told(Collective::scatter, 1),
      "scatter, 6 NPUs, 976.6 KiB each: 120.5 µs at least (latency 1.5 µs from NPU 1 to NPU 4, bandwidth 120 µs "
      "= 3/25000 µs/byte: out of NPUs 0-2)\n");
}

TEST(BoundsReportTest, SaysThatNothingMoves) {
  const auto p = test::problem_of(parse_short_network("ring:4,bw=50GB/s"), Collective::reduce, 8, {{1}}, 1);
  EXPECT_EQ(bounds_text(p, find_bounds(p)), "reduce, 1 NPU, 8 B: nothing to move\n");
}

}  // namespace
