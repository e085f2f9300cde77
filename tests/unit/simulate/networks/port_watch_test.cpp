// SPDX-License-Identifier: MIT
#include "simulate/networks/port_watch.h"

#include <gtest/gtest.h>

#include <string>

#include "common/replay_traces.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

// The report about the worst port; empty if no port was exceeded.
std::string worst(const std::vector<Trace>& traces, const std::string& network,
                  std::optional<Picoseconds> until = {}) {
  ReplayOptions options;
  options.network.watch_ports = true;
  options.until = until;
  Diagnostics diagnostics;
  const auto result = test::replay_traces(traces, net(network), options, diagnostics);
  return result && result->worst_port ? port_text(*result->worst_port) : "";
}

// Messages of 1 MB; if `chained`, each is sent after the preceding one has arrived.
std::vector<Trace> from_3_to_others(Rank npus, bool chained) {
  auto t = ranks(npus);
  NodeId id = 0;
  for (Rank to = 0; to < npus; ++to) {
    if (to == 3) continue;
    if (chained && id != 0) {
      send(t[3], id, to, 1'000'000, 0, {id - 1});
    } else {
      send(t[3], id, to, 1'000'000);
    }
    ++id;
    recv(t[to], 0, 3, 1'000'000);
  }
  return t;
}

TEST(PortWatch, SendersThroughOnePort) {
  EXPECT_EQ(worst(from_3_to_others(9, false), "switch:9,bw=50GB/s,lat=1us"),
            "NPU 3 sends 8 messages at once: 400 GB/s through a port of 50 GB/s");
  EXPECT_EQ(worst(from_3_to_others(9, true), "switch:9,bw=50GB/s,lat=1us"), "");
  EXPECT_EQ(worst(from_3_to_others(9, true), "switch:9,bw=3GB/s"), "");  // times that are truncated to whole ns
  EXPECT_EQ(worst(from_3_to_others(9, false), "fully_connected:9,bw=50GB/s,lat=1us"), "");
  EXPECT_EQ(worst(from_3_to_others(5, false), "ring:5,bw=50GB/s"),
            "NPU 3 sends 2 messages at once: 100 GB/s through a port of 50 GB/s");
  EXPECT_EQ(worst(from_3_to_others(9, false), "ideal"), "");
}

// More ports than are added at once: none is lost, nor counted for another port.
TEST(PortWatch, ManyPorts) {
  constexpr Rank npus = 200;
  auto t = ranks(npus);
  for (Rank from = 0; from < npus; ++from) {
    for (NodeId k = 0; k < (from == 170 ? 3 : 2); ++k) {
      const Rank to = (from + 1 + static_cast<Rank>(k)) % npus;
      send(t[from], k, to, 1'000'000, from);
      recv(t[to], 10 + k, from, 1'000'000, from);
    }
  }
  EXPECT_EQ(worst(t, "switch:200,bw=50GB/s,lat=1us"),
            "NPU 170 sends 3 messages at once: 150 GB/s through a port of 50 GB/s");
}

TEST(PortWatch, ReceiversThroughOnePort) {
  auto t = ranks(4);
  for (Rank from = 1; from < 4; ++from) {
    send(t[from], 0, 0, 1'000'000);
    recv(t[0], from, from, 1'000'000);
  }
  EXPECT_EQ(worst(t, "switch:4,bw=50GB/s,lat=1us"),
            "NPU 0 receives 3 messages at once: 150 GB/s through a port of 50 GB/s");
  // From 1 and 3 over one link each, from 2 over one of these links.
  EXPECT_EQ(worst(t, "ring:4,bw=50GB/s"), "NPU 0 receives 2 messages at once: 100 GB/s through a port of 50 GB/s");
  EXPECT_EQ(worst(t, "ring:4,bw=50GB/s,lat=1us"),
            "NPU 0 receives 2 messages at once: 100 GB/s through a port of 50 GB/s");
  EXPECT_EQ(worst(t, "ring:4,bw=50GB/s,lat=1ms"), "");  // the message from 2 arrives later
}

// The unaware model counts only the lowest dimension.
TEST(PortWatch, ADimensionForNothing) {
  auto t = ranks(4);
  send(t[0], 0, 3, 1'000'000);
  recv(t[3], 0, 0, 1'000'000);
  EXPECT_EQ(worst(t, "switch:2,bw=400GB/s+switch:2,bw=50GB/s"),
            "NPU 3 receives a message: 400 GB/s through a port of 50 GB/s");
  EXPECT_EQ(worst(t, "switch:2,bw=50GB/s+switch:2,bw=400GB/s"), "");
}

TEST(PortWatch, UpToTheStop) {
  auto t = ranks(9);
  comp(t[3], 100, 10);
  for (Rank to = 4; to < 9; ++to) {
    send(t[3], to, to, 1'000'000, 0, {100});
    recv(t[to], 0, 3, 1'000'000);
  }
  EXPECT_EQ(worst(t, "switch:9,bw=50GB/s", 9'000'000), "");
  EXPECT_NE(worst(t, "switch:9,bw=50GB/s", 11'000'000), "");
}

}  // namespace
}  // namespace convert
