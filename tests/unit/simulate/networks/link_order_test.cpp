// SPDX-License-Identifier: MIT
// Sends with a scheduled link order, and their routes.
#include "simulate/networks/link_order.h"

#include <gtest/gtest.h>

#include "core/algorithm/network_id.h"
#include "unit/simulate/traces.h"

namespace convert::link_order_cases {
namespace {

using test::recv;
using test::send;

// 1 byte/ns, latency 100 ns on every link; NPUs 0…3 around switches 4 and 5.
NetworkConfig two_spines() {
  NetworkConfig config{.source = "two spines"};
  config.graph = {.npus = 4, .switches = 2};
  for (Device npu = 0; npu < 4; ++npu) {
    for (Device spine = 4; spine < 6; ++spine) {
      config.graph.wires.push_back({npu, spine, 1, 100'000});
      config.graph.wires.push_back({spine, npu, 1, 100'000});
    }
  }
  return config;
}

NetworkConfig line(std::uint32_t npus) {
  NetworkConfig config{.source = "line"};
  config.graph = {.npus = npus};
  for (Device npu = 0; npu + 1 < npus; ++npu) {
    config.graph.wires.push_back({npu, npu + 1, 1, 100'000});
    config.graph.wires.push_back({npu + 1, npu, 1, 100'000});
  }
  return config;
}

std::string id_of(const NetworkConfig& config) {
  std::vector<IdentifiedLink> links;
  for (const GraphWire& w : config.graph.wires) links.push_back({w.from, w.to, w.bytes_per_ns, w.latency_ps});
  return network_id(config.graph.npus, config.graph.switches, links);
}

std::vector<Trace> ranks(const NetworkConfig& config, std::uint32_t npus) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < npus; ++r) {
    traces.push_back(test::rank_trace(r));
    traces.back().metadata.table.add_string(Name(std::string_view("ten.network")), id_of(config));
  }
  return traces;
}

// Sends with its sequence numbers, and a control dependency on node `after` unless it is negative.
void send_in_turn(Trace& t, NodeId id, std::int64_t to, std::int64_t bytes, std::vector<std::int64_t> turns,
                  std::vector<std::int64_t> via = {}, std::int64_t after = -1,
                  std::initializer_list<NodeId> parents = {}) {
  test::add_node(t, NodeType::comm_send, id, parents);
  if (after >= 0) t.nodes.add_ctrl_dep(static_cast<NodeId>(after));
  t.nodes.add_int(attr::comm_dst, Kind::int32_val, to);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(id));
  t.nodes.add_ints(attr::link_seq, Kind::int64_list, turns);
  if (!via.empty()) t.nodes.add_ints(attr::link_via, Kind::int32_list, via);
  t.nodes.end_node();
}

ReplayResult run(const std::vector<Trace>& traces, const NetworkConfig& config, Diagnostics& diagnostics,
                 NetworkOptions network = {.forwarding = Forwarding::store}) {
  network.model = NetworkModel::wires;
  ReplayOptions options;
  options.network = network;
  const auto result = test::replay_traces(traces, config, options, diagnostics);
  return result ? *result : ReplayResult{};
}
ReplayResult run(const std::vector<Trace>& traces, const NetworkConfig& config) {
  Diagnostics diagnostics;
  ReplayResult result = run(traces, config, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  return result;
}

// Ten messages of 50 ns one after the other, and the latency once: with control dependencies, it would count for
// each message.
TEST(LinkOrder, ASendNeedNotWaitForTheArrivalOfTheOneBefore) {
  const NetworkConfig config = line(2);
  auto traces = ranks(config, 2);
  for (NodeId id = 0; id < 10; ++id) {
    send_in_turn(traces[0], id, 1, 50, {static_cast<std::int64_t>(id)}, {}, static_cast<std::int64_t>(id) - 1);
    recv(traces[1], id, 0, 50, static_cast<std::int64_t>(id));
  }
  EXPECT_EQ(run(traces, config).total_ps, (10 * 50 + 100) * 1000);
}

// Node 1 has the earlier sequence number and is ready later, as it waits for the first message of rank 1.
TEST(LinkOrder, WhoComesTooEarlyWaitsForItsTurn) {
  const NetworkConfig config = line(2);
  auto traces = ranks(config, 2);
  recv(traces[0], 0, 1, 300, 9);
  send_in_turn(traces[0], 1, 1, 50, {0}, {}, -1, {0});
  send_in_turn(traces[0], 2, 1, 50, {1});
  test::add_node(traces[1], NodeType::comm_send, 0, {});
  traces[1].nodes.add_int(attr::comm_dst, Kind::int32_val, 0);
  traces[1].nodes.add_int(attr::comm_size, Kind::int64_val, 300);
  traces[1].nodes.add_int(attr::comm_tag, Kind::int32_val, 9);
  traces[1].nodes.end_node();
  recv(traces[1], 1, 0, 50, 1);
  recv(traces[1], 2, 0, 50, 2);
  EXPECT_EQ(run(traces, config).total_ps, (400 + 50 + 50 + 100) * 1000);
}

// Both go to NPU 3: over one spine they are ordered on its last link, over two they do not meet.
TEST(LinkOrder, AMessageGoesTheWayThatItIsGiven) {
  const NetworkConfig config = two_spines();
  const auto total = [&](std::int64_t first, std::int64_t second, std::int64_t turn) {
    auto traces = ranks(config, 4);
    send_in_turn(traces[0], 0, 3, 1000, {0, 1 - turn}, {first});
    send_in_turn(traces[1], 1, 3, 500, {0, turn}, {second});
    recv(traces[3], 0, 0, 1000, 0);
    recv(traces[3], 1, 1, 500, 1);
    test::comp(traces[2], 0, 0);
    return run(traces, config).total_ps;
  };
  constexpr Picoseconds alone = 2 * (1000 + 100) * 1000;
  EXPECT_EQ(total(4, 5, 0), alone);
  EXPECT_EQ(total(4, 4, 0), alone) << "the short one has gone before the long one comes";
  EXPECT_EQ(total(4, 4, 1), alone + 500 * 1000) << "the short one waits for the long one";
}

TEST(LinkOrder, OtherNetworksKeepControlDependencies) {
  const NetworkConfig config = line(2);
  auto traces = ranks(two_spines(), 2);
  for (NodeId id = 0; id < 10; ++id) {
    send_in_turn(traces[0], id, 1, 50, {static_cast<std::int64_t>(id)}, {}, static_cast<std::int64_t>(id) - 1);
    recv(traces[1], id, 0, 50, static_cast<std::int64_t>(id));
  }
  const ReplayResult result = run(traces, config);
  EXPECT_EQ(result.total_ps, 10 * (50 + 100) * 1000);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("scheduled for another network"), std::string::npos) << result.notes[0];
}

// Rank 1 is first on the link to 3, for a message that it sends after rank 0's message has arrived, which is later
// in the link order.
TEST(LinkOrder, TurnsThatCannotComeAreADeadlock) {
  const NetworkConfig config = two_spines();
  auto traces = ranks(config, 4);
  send_in_turn(traces[0], 0, 3, 1000, {0, 1}, {4});
  recv(traces[3], 0, 0, 1000, 0);
  send(traces[3], 1, 1, 8, 7, {0});
  recv(traces[1], 0, 3, 8, 7);
  send_in_turn(traces[1], 1, 3, 500, {0, 0}, {4}, -1, {0});
  recv(traces[3], 2, 1, 500, 1);
  test::comp(traces[2], 0, 0);
  const ReplayResult result = run(traces, config);
  ASSERT_EQ(result.status, ReplayStatus::deadlock);
  const auto lines = describe(result.waits, 0);
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& l) {
    return l.find("rank 0 node 0 waits for its turn on link switch0>npu3, after rank 1 node 1") !=
           std::string::npos;
  })) << testing::PrintToString(lines);
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& l) { return l.starts_with("cycle of waits"); }))
      << testing::PrintToString(lines);
}

TEST(LinkOrder, ImpossibleWaysAreErrors) {
  const NetworkConfig config = two_spines();
  const auto finding = [&](std::vector<std::int64_t> turns, std::vector<std::int64_t> via) {
    auto traces = ranks(config, 4);
    send_in_turn(traces[0], 0, 3, 1000, std::move(turns), std::move(via));
    recv(traces[3], 0, 0, 1000, 0);
    Diagnostics diagnostics;
    (void)run(traces, config, diagnostics);
    return diagnostics.all().empty() ? "" : diagnostics.all()[0].message;
  };
  EXPECT_NE(finding({0}, {}).find("a link from device 0 to 3, which the network does not have"), std::string::npos);
  EXPECT_NE(finding({0, 0}, {9}).find("a link from device 0 to 9, which the network does not have"),
            std::string::npos);
  EXPECT_NE(finding({0}, {4}).find("link_seq has 1 value, but the route has 2 links"), std::string::npos);
  EXPECT_NE(finding({0, 0}, {-1}).find("an invalid device number"), std::string::npos);
}

// A trace that repeats a collective repeats its sequence numbers.
TEST(LinkOrder, RepetitionsTakeTheirTurnsAmongThemselves) {
  const NetworkConfig config = line(2);
  auto traces = ranks(config, 2);
  for (NodeId id = 0; id < 6; ++id) {
    send_in_turn(traces[0], id, 1, 50, {static_cast<std::int64_t>(id % 2)});
    recv(traces[1], id, 0, 50, static_cast<std::int64_t>(id));
  }
  EXPECT_EQ(run(traces, config).total_ps, (6 * 50 + 100) * 1000);
}

// The second of two collectives goes first if they share a link order.
TEST(LinkOrder, CollectivesOfOneScopeTakeTurns) {
  for (const bool common : {true, false}) {
    const NetworkConfig network = line(2);
    std::vector<Trace> traces = ranks(network, 2);
    NodeTable& sends = traces[0].nodes;
    send_in_turn(traces[0], 0, 1, 1000, {common ? 1 : 0});
    if (common) sends.add_int(attr::link_scope, Kind::uint64_val, 7);
    sends.add_int(attr::merged_instance, Kind::uint64_val, 7);
    sends.end_node();
    send_in_turn(traces[0], 1, 1, 10, {0});
    if (common) sends.add_int(attr::link_scope, Kind::uint64_val, 7);
    sends.add_int(attr::merged_instance, Kind::uint64_val, 8);
    sends.end_node();
    recv(traces[1], 0, 0, 1000, 0);
    recv(traces[1], 1, 0, 10, 1);
    send(traces[1], 2, 0, 2000, 2, {1});  // a reply to the second
    recv(traces[0], 2, 1, 2000, 2);
    EXPECT_EQ(run(traces, network).total_ps, common ? 2'210'000 : 3'210'000);
  }
}

}  // namespace
}  // namespace convert::link_order_cases
