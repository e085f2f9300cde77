// SPDX-License-Identifier: MIT
#include "simulate/networks/network.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/diagnostic.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

struct SentAtZero {
  Rank src;
  Rank dst;
  std::int64_t bytes;
};

// Sends all at time 0; (message, ns) in the order of arrival.
std::vector<std::pair<MessageToken, std::int64_t>> arrivals(const NetworkConfig& config, NetworkModel model,
                                                            const std::vector<SentAtZero>& messages) {
  EventQueue queue;
  const auto network = make_network(config, {.model = model}, queue);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    network->send(messages[i].src, messages[i].dst, messages[i].bytes, static_cast<MessageToken>(i));
  }
  std::vector<std::pair<MessageToken, std::int64_t>> out;
  while (!queue.empty()) {
    const Event e = queue.pop();
    const MessageToken m = network->handle(e);
    if (m != no_message) out.emplace_back(m, queue.now() / ps_per_ns);
  }
  return out;
}
std::int64_t message_ns(const std::string& network, NetworkModel model, Rank src, Rank dst, std::int64_t bytes) {
  const auto a = arrivals(parse_short_network(network), model, {{src, dst, bytes}});
  return a.size() == 1 ? a[0].second : -1;
}

using ArrivalsNs = std::vector<std::pair<MessageToken, std::int64_t>>;

TEST(UnawareNetwork, ChargesHopsAndOneTransmission) {
  EXPECT_EQ(message_ns("ring:8,bw=1GB/s,lat=10ns", test::unaware, 0, 3, 100), 3 * 10 + 100);
  EXPECT_EQ(message_ns("ring:8,bw=1GB/s,lat=10ns", test::unaware, 0, 5, 100), 3 * 10 + 100);  // the shorter
                                                                                              // direction
  EXPECT_EQ(message_ns("ring:8,bw=1GB/s,lat=10ns", test::unaware, 6, 2, 100), 4 * 10 + 100);
  EXPECT_EQ(message_ns("fully_connected:8,bw=1GB/s,lat=10ns", test::unaware, 0, 5, 100), 10 + 100);
  EXPECT_EQ(message_ns("switch:8,bw=1GB/s,lat=10ns", test::unaware, 0, 5, 100), 2 * 10 + 100);
  EXPECT_EQ(message_ns("ideal", test::unaware, 0, 5, 1 << 30), 0);
  EXPECT_EQ(message_ns("ideal", test::aware, 0, 5, 1 << 30), 0);
}

TEST(UnawareNetwork, ChargesTheLowestDimensionThatDiffers) {
  const std::string net = "ring:4,bw=1GB/s,lat=10ns+switch:2,bw=2GB/s,lat=100ns";
  EXPECT_EQ(message_ns(net, test::unaware, 0, 2, 100), 2 * 10 + 100);
  EXPECT_EQ(message_ns(net, test::unaware, 0, 6, 100), 2 * 10 + 100);  // dimension 1 is free
  EXPECT_EQ(message_ns(net, test::unaware, 0, 4, 100), 2 * 100 + 50);
}

TEST(UnawareNetwork, MeshHasNoWayAround) {
  EXPECT_EQ(message_ns("mesh:8,bw=1GB/s,lat=10ns", test::unaware, 0, 7, 100), 7 * 10 + 100);
  EXPECT_EQ(message_ns("mesh:4x4,bw=1GB/s,lat=10ns", test::unaware, 7, 4, 100), 3 * 10 + 100);
}

TEST(UnawareNetwork, TruncatesTheSum) {
  EXPECT_EQ(message_ns("ring:4,bw=3GB/s,lat=0.5ns", test::unaware, 0, 1, 10), 3);  // 0.5 + 3.33
  EXPECT_EQ(message_ns("ring:4,bw=3GB/s,lat=0.7ns", test::unaware, 0, 1, 10), 4);
}

TEST(UnawareNetwork, MessagesDoNotMeet) {
  EXPECT_EQ(arrivals(parse_short_network("ring:4,bw=1GB/s,lat=10ns"), test::unaware,
                     {{0, 1, 100}, {0, 1, 50}, {0, 1, 100}}),
            (ArrivalsNs{{1, 60}, {0, 110}, {2, 110}}));
}

TEST(AwareNetwork, StoresAndForwards) {
  EXPECT_EQ(message_ns("ring:8,bw=1GB/s,lat=10ns", test::aware, 0, 3, 100), 3 * 110);
  EXPECT_EQ(message_ns("ring:8,bw=1GB/s,lat=10ns", test::aware, 1, 7, 100), 2 * 110);
  EXPECT_EQ(message_ns("fully_connected:8,bw=1GB/s,lat=10ns", test::aware, 0, 5, 100), 110);
  EXPECT_EQ(message_ns("switch:8,bw=1GB/s,lat=10ns", test::aware, 0, 5, 100), 220);
  EXPECT_EQ(message_ns("switch:8,bw=1GB/s,lat=10ns", test::aware, 3, 3, 100), 220);  // through the switch and back
  EXPECT_EQ(message_ns("ring:2,bw=1GB/s,lat=10ns", test::aware, 0, 1, 100), 110);
  EXPECT_EQ(message_ns("ring:2,bw=1GB/s,lat=10ns", test::aware, 1, 0, 100), 110);
}

TEST(AwareNetwork, MeshHasNoWayAround) {
  EXPECT_EQ(message_ns("mesh:8,bw=1GB/s,lat=10ns", test::aware, 0, 7, 100), 7 * 110);
  EXPECT_EQ(message_ns("mesh:4x4,bw=1GB/s,lat=10ns", test::aware, 15, 0, 100), 6 * 110);
}

TEST(AwareNetwork, WiresTransmitInOrder) {
  // The link is busy for the bytes, not for the latency.
  EXPECT_EQ(arrivals(parse_short_network("fully_connected:4,bw=1GB/s,lat=10ns"), test::aware,
                     {{0, 1, 100}, {0, 1, 50}, {0, 2, 100}, {1, 0, 30}}),
            (ArrivalsNs{{3, 40}, {0, 110}, {2, 110}, {1, 160}}));
  // One up link and one down link per NPU.
  EXPECT_EQ(arrivals(parse_short_network("switch:4,bw=1GB/s,lat=10ns"), test::aware,
                     {{0, 1, 100}, {0, 2, 100}, {3, 1, 100}}),
            (ArrivalsNs{{0, 220}, {1, 320}, {2, 320}}));
}

TEST(AwareNetwork, RingTiesGoClockwise) {
  // 0→2 both over 0→1 and 1→2; if one message went in the other direction they would not meet.
  EXPECT_EQ(arrivals(parse_short_network("ring:4,bw=1GB/s"), test::aware, {{0, 2, 100}, {0, 2, 100}, {0, 3, 100}}),
            (ArrivalsNs{{2, 100}, {0, 200}, {1, 300}}));
}

TEST(AwareNetwork, CorrectsTheLowestDimensionFirst) {
  const std::string net = "ring:4,bw=1GB/s,lat=10ns+switch:2,bw=2GB/s,lat=100ns+fully_connected:3,bw=4GB/s,lat=1ns";
  EXPECT_EQ(message_ns(net, test::aware, 0, 3 + 4 + 16, 100), 110 + 2 * 150 + 26);
  EXPECT_EQ(message_ns(net, test::aware, 23, 0, 100), 110 + 2 * 150 + 26);
  EXPECT_EQ(message_ns(net, test::aware, 2, 10, 100), 26);
  // Both cross the ring of rank 1 and meet on the link from there to the switch.
  EXPECT_EQ(
      arrivals(parse_short_network("ring:4,bw=1GB/s+switch:2,bw=1GB/s"), test::aware, {{0, 5, 100}, {2, 5, 100}}),
      (ArrivalsNs{{0, 300}, {1, 400}}));
}

TEST(AwareNetwork, TruncatesArrivalAndEndOfTransmissionSeparately) {
  // 3.33 ns on the link: free after 3, arrival after trunc(0.7 + 3.33) = 4.
  EXPECT_EQ(arrivals(parse_short_network("ring:4,bw=3GB/s,lat=0.7ns"), test::aware, {{0, 1, 10}, {0, 1, 10}}),
            (ArrivalsNs{{0, 4}, {1, 7}}));
}

TEST(Network, RefusesDelaysBeyondTheClock) {
  EXPECT_THROW((void)message_ns("ring:4,bw=0.000001B/s", test::unaware, 0, 1, INT64_MAX), Error);
  EXPECT_THROW((void)message_ns("ring:4,bw=0.000001B/s", test::aware, 0, 1, INT64_MAX), Error);
  const NetworkConfig huge = parse_short_network("fully_connected:1000000,bw=1GB/s");
  EventQueue queue;
  EXPECT_THROW((void)make_network(huge, {.model = test::aware}, queue), Error);
}

TEST(Network, OnlyASwitchLeadsBack) {
  EXPECT_TRUE(can_send_to_self(parse_short_network("switch:4,bw=1GB/s"), test::aware));
  EXPECT_FALSE(can_send_to_self(parse_short_network("switch:4,bw=1GB/s"), test::unaware));
  EXPECT_FALSE(can_send_to_self(parse_short_network("ring:4,bw=1GB/s"), test::aware));
  EXPECT_FALSE(can_send_to_self(parse_short_network("switch:4,bw=1GB/s+ring:2,bw=1GB/s"), test::aware));
}

}  // namespace
}  // namespace convert
