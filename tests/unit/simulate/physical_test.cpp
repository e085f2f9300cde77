// SPDX-License-Identifier: MIT
// Collectives of the physical model (--compat none): exact sizes, several at once, trees, stragglers.
#include <gtest/gtest.h>

#include <bit>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace convert::test;

struct CollectiveSetup {
  std::string network;
  Collective type = Collective::all_reduce;
  std::int64_t bytes = 0;
  NativeAlgorithm algorithm = NativeAlgorithm::ring;
  std::int64_t splits = 1;
  Rank npus = 4;
};

std::shared_ptr<ReplaySystem> system_with(NativeAlgorithm algorithm, std::int64_t splits, std::size_t dims) {
  auto system = std::make_shared<ReplaySystem>();
  system->config.optimization = CollectiveOptimization::local_bw_aware;
  system->config.endpoint_delay_ns = 0;
  system->config.dataset_splits = splits;
  for (CollectiveChoice& c : system->config.collectives) c.per_dim.assign(dims, {.algorithm = algorithm});
  return system;
}

ReplayResult run_workload(const std::vector<Trace>& traces, const std::string& network,
                          std::shared_ptr<ReplaySystem> system, NetworkModel model, bool symmetry = true) {
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.network.model = model;
  options.system = std::move(system);
  options.symmetry = symmetry;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, net(network), options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  EXPECT_EQ(result->status, ReplayStatus::complete);
  return std::move(*result);
}

ReplayResult run_collective(const CollectiveSetup& s, NetworkModel model = NetworkModel::wires) {
  auto traces = ranks(s.npus);
  for (Trace& t : traces) coll(t, 0, s.type, s.bytes);
  return run_workload(traces, s.network, system_with(s.algorithm, s.splits, 1), model);
}

TEST(Physical, RingAllReduceWithoutRemainder) {
  // 4 NPUs, 4000 B: 6 rounds of 1000 B, each 1000 ns of bytes and 10 ns of latency.
  const auto r = run_collective({.network = "ring:4,bw=1GB/s,lat=10ns", .bytes = 4000});
  for (std::size_t npu = 0; npu < 4; ++npu) EXPECT_EQ(finish_ns(r, npu), 6 * 1010);
}

TEST(Physical, CollectivesMeetByTheOrderOfIssueAndNotByWhoIsFirst) {
  // Rank 0 is ready for the all-gather first, rank 1 for the all-reduce.
  auto traces = ranks(2);
  comp(traces[0], 0, 10, {}, true);
  comp(traces[0], 1, 1);
  comp(traces[1], 0, 1, {}, true);
  comp(traces[1], 1, 10);
  for (Trace& t : traces) {
    coll(t, 2, Collective::all_reduce, 2000, {0});
    coll(t, 3, Collective::all_gather, 1000, {1});
  }
  for (const bool symmetry : {true, false}) {
    const auto r = run_workload(traces, "ring:2,bw=1GB/s,lat=10ns", system_with(NativeAlgorithm::ring, 1, 1),
                                NetworkModel::unaware, symmetry);
    EXPECT_EQ(finish_ns(r, 0),
              10'000 + 2 * 1010);  // two rounds; rank 1 can begin its second at the end of the first
    EXPECT_EQ(finish_ns(r, 1), 10'000 + 1010);
    ASSERT_EQ(r.collectives.size(), 2U);
    for (const CollectiveResult& c : r.collectives) {
      const bool first = r.kinds[c.plan].op == Collective::all_reduce;
      EXPECT_EQ(c.number, first ? 0U : 1U);
      EXPECT_EQ(c.first_npu, first ? 1U : 0U);
    }
  }
}

TEST(Physical, RemaindersCostTheirBytes) {
  // 4002 B: shards of 1001, 1001, 1000, 1000. In every round some NPU sends a larger shard, and finally all wait
  // for it: an NPU sends 2 × 4002 minus its shard in total.
  const auto r = run_collective({.network = "ring:4,bw=1GB/s", .bytes = 4002});
  std::int64_t sent = 0;
  for (const NpuResult& n : r.npus) sent += n.bytes_sent;
  EXPECT_EQ(sent, 2 * 3 * 4002);
  EXPECT_GE(finish_ns(r, 0), 6 * 1000);
  EXPECT_LE(finish_ns(r, 0), 6 * 1001);
}

TEST(Physical, HalvingDoublingAndDirectMoveTheSameBytes) {
  for (const auto algorithm : {NativeAlgorithm::direct, NativeAlgorithm::halving_doubling}) {
    const auto r =
        run_collective({.network = "switch:4,bw=1GB/s", .bytes = 4002, .algorithm = algorithm, .npus = 4});
    std::int64_t sent = 0;
    for (const NpuResult& n : r.npus) sent += n.bytes_sent;
    EXPECT_EQ(sent, 2 * 3 * 4002);
  }
}

TEST(Physical, BroadcastIsABinomialTree) {
  // 8 NPUs: three levels of 1000 ns; the root's messages share no link if all are connected.
  const auto r = run_collective(
      {.network = "fully_connected:8,bw=1GB/s,lat=5ns", .type = Collective::broadcast, .bytes = 1000, .npus = 8});
  std::int64_t last = 0;
  for (std::size_t npu = 0; npu < 8; ++npu) last = std::max(last, finish_ns(r, npu));
  EXPECT_EQ(last, 3 * 1005);
  std::uint64_t sends = 0;
  for (const NpuResult& n : r.npus) sends += n.sends;
  EXPECT_EQ(sends, 7U);
}

// A group of all ranks in another order: the root is a rank, by default the first of the group.
TEST(Physical, TheRootOfAPermutedGroup) {
  for (const bool stated : {false, true}) {
    auto traces = ranks(4);
    for (Trace& t : traces) {
      add_node(t, NodeType::comm_coll, 0, {});
      t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::broadcast));
      t.nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
      t.nodes.add_string(attr::pg_name, "1");
      if (stated) t.nodes.add_int(attr::comm_src, Kind::int32_val, 0);
      t.nodes.end_node();
    }
    auto system = system_with(NativeAlgorithm::ring, 1, 1);
    system->groups.push_back({.id = 1, .ranks = {3, 2, 1, 0}});
    const auto r = run_workload(traces, "fully_connected:4,bw=1GB/s", system, NetworkModel::wires);
    for (std::size_t npu = 0; npu < 4; ++npu)  // the others send at most one message
      EXPECT_EQ(r.npus[npu].sends == 2, npu == (stated ? 0 : 3)) << npu;
  }
}

// An NPU that only sends is done when its messages have arrived: the next collective does not overtake.
TEST(Physical, SendersOfATreeWaitForTheirMessages) {
  const auto scatter = run_collective(
      {.network = "fully_connected:4,bw=1GB/s,lat=5ns", .type = Collective::scatter, .bytes = 1000, .npus = 4});
  EXPECT_EQ(finish_ns(scatter, 0), 1005);
  auto traces = ranks(2);
  for (Trace& t : traces) {
    coll(t, 0, Collective::reduce, 1000);
    coll(t, 1, Collective::reduce, 1000, {0});
  }
  auto system = system_with(NativeAlgorithm::ring, 1, 1);
  const auto r = run_workload(traces, "fully_connected:2,bw=1GB/s,lat=5ns", system, NetworkModel::unaware);
  ASSERT_EQ(r.collectives.size(), 2U);
  EXPECT_EQ(r.collectives[1].begin_ps, 1'005'000);  // rank 1 only sends
  EXPECT_EQ(r.collectives[1].end_ps, 2'010'000);
}

TEST(Physical, ListsOfAlgorithmsAreForAllDimensions) {
  auto traces = ranks(8);
  for (Trace& t : traces) coll(t, 0, Collective::all_reduce, 4000);
  const auto with = [&](std::vector<AlgorithmChoice> list) {
    auto system = system_with(NativeAlgorithm::ring, 1, 1);
    for (CollectiveChoice& c : system->config.collectives) c.per_dim = list;
    return run_workload(traces, "torus:2x2x2,bw=1GB/s", system, NetworkModel::wires);
  };
  EXPECT_THROW((void)with({{}, {}}), Error);
  EXPECT_EQ(with({{}, {}, {}}).kinds.at(0).npus, 8);
  EXPECT_EQ(with({{.one = true}}).kinds.at(0).npus, 8);
}

TEST(Physical, InvolvedDimIsForAllDimensions) {
  for (const std::size_t listed : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    auto traces = ranks(4);
    for (Trace& t : traces) {
      add_node(t, NodeType::comm_coll, 0, {});
      t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
      t.nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
      t.nodes.add_ints(attr::involved_dim, Kind::bool_list, std::vector<std::int64_t>(listed, 1));
      t.nodes.end_node();
    }
    ReplayOptions options;
    options.issue = IssueMode::workload;
    Diagnostics diagnostics;
    const auto result = test::replay_traces(traces, net("torus:2x2,bw=1GB/s"), options, diagnostics);
    EXPECT_EQ(result.has_value(), listed >= 2);
    if (listed >= 2) continue;
    EXPECT_EQ(format_diagnostic(diagnostics.all().at(0)),
              "t.0.et: error: node 0: involved_dim has 1 values, but the network has 2 dimensions [attributes]");
  }
}

// Two collectives with one custom algorithm, called in different orders: requests of one are not requests of the
// other.
TEST(Physical, RendezvousWithinCustomAlgorithms) {
  constexpr auto network = "ring:2,bw=1GB/s,lat=1us";
  auto system = system_with(NativeAlgorithm::ring, 1, 1);
  for (CollectiveChoice& c : system->config.collectives) c.custom = "exchange";
  system->groups = {{.id = 1, .ranks = {0, 1}}, {.id = 2, .ranks = {0, 1}}};
  system->rendezvous = true;
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.system = system;
  Diagnostics diagnostics;
  ReplayBuilder builder(net(network), options, diagnostics);
  for (Rank r = 0; r < 2; ++r) {
    Trace t = rank_trace(r);
    send(t, 0, 1 - r, 1000);
    recv(t, 1, 1 - r, 1000);
    builder.add_custom("exchange", t);
  }
  for (Rank r = 0; r < 2; ++r) {
    Trace t = rank_trace(r);
    all_reduce(t, 0, 1000, {}, r == 0 ? "1" : "2");
    comp(t, 1, 5);
    all_reduce(t, 2, 1000, {1}, r == 0 ? "2" : "1");
    builder.add(t);
  }
  const auto program = builder.finish();
  ASSERT_TRUE(program);
  const ReplayResult r = replay(*program);
  EXPECT_EQ(r.status, ReplayStatus::complete);
  EXPECT_GT(r.total_ps, 7'000 * ps_per_ns);
}

TEST(Physical, TimesBeyondTheClockAreRefused) {
  auto traces = ranks(4);
  for (Trace& t : traces) coll(t, 0, Collective::all_reduce, std::int64_t{1} << 40);
  auto system = system_with(NativeAlgorithm::ring, 1, 1);
  system->config.endpoint_delay_given = true;
  system->config.endpoint_delay_ns = 9'000'000'000'000'000;
  system->config.local_mem_bytes_per_s = 1000;
  EXPECT_THROW((void)run_workload(traces, "ring:4,bw=1GB/s", system, NetworkModel::wires), Error);
}

TEST(Physical, ReplayedCommunicationIsNoComputation) {
  auto traces = ranks(2);
  for (Trace& t : traces) {
    comp(t, 0, 3);
    all_reduce(t, 1, 1000, {0});
    t.nodes.nodes.back().duration_us = 5;
  }
  auto system = system_with(NativeAlgorithm::ring, 1, 1);
  system->config.replay_only = true;
  const auto r = run_workload(traces, "ring:2,bw=1GB/s", system, NetworkModel::wires);
  EXPECT_EQ(r.npus[0].compute_ps, 3'000 * ps_per_ns);
  EXPECT_EQ(r.npus[0].exposed_communication_ps, 5'000 * ps_per_ns);
}

TEST(Physical, GatherFillsTheRootsWire) {
  // 4 NPUs on a switch: three messages of 1000 B share the switch's link to the root.
  const auto r =
      run_collective({.network = "switch:4,bw=1GB/s", .type = Collective::gather, .bytes = 1000, .npus = 4});
  EXPECT_EQ(finish_ns(r, 0), 3 * 1000);
}

TEST(Physical, BarrierTakesLogarithmicallyManyRounds) {
  const auto r = run_collective(
      {.network = "fully_connected:8,bw=8GB/s,lat=100ns", .type = Collective::barrier, .bytes = 0, .npus = 8});
  for (std::size_t npu = 0; npu < 8; ++npu) EXPECT_EQ(finish_ns(r, npu), 3 * 101);
}

TEST(Physical, CollectivesShareTheNetwork) {
  auto traces = ranks(4);
  for (Trace& t : traces) {
    coll(t, 0, Collective::all_reduce, 4000);
    coll(t, 1, Collective::all_reduce, 4000);
  }
  const auto r =
      run_workload(traces, "ring:4,bw=1GB/s", system_with(NativeAlgorithm::ring, 1, 1), NetworkModel::wires);
  EXPECT_EQ(finish_ns(r, 0), 2 * 6 * 1000);
  ASSERT_EQ(r.collectives.size(), 2U);
  EXPECT_EQ(r.collectives[0].begin_ps, r.collectives[1].begin_ps);
}

TEST(Physical, ThePolicyDecidesWhoGoesFirst) {
  auto traces = ranks(4);
  for (Trace& t : traces) {
    coll(t, 0, Collective::all_reduce, 40'000);
    coll(t, 1, Collective::all_reduce, 4000);
  }
  const auto end_of = [&](WirePolicy policy, std::size_t which) {
    auto system = system_with(NativeAlgorithm::direct, 4, 1);
    system->policy = policy;
    return *run_workload(traces, "switch:4,bw=1GB/s", std::move(system), NetworkModel::wires)
                .collectives[which]
                .end_ps;
  };
  EXPECT_LT(end_of(WirePolicy::smallest, 1), end_of(WirePolicy::fifo, 1));
  EXPECT_LE(end_of(WirePolicy::fifo, 0), end_of(WirePolicy::lifo, 0));
  EXPECT_LT(end_of(WirePolicy::lifo, 1), end_of(WirePolicy::fifo, 1));
}

TEST(Physical, BalancedChunksUseAllDimensions) {
  auto traces = ranks(16);
  for (Trace& t : traces) coll(t, 0, Collective::all_reduce, 1 << 24);
  const auto total = [&](bool balanced) {
    auto system = system_with(NativeAlgorithm::ring, 16, 2);
    system->balanced = balanced;
    system->config.active_chunks_per_dimension = 16;
    return run_workload(traces, "ring:4,bw=1GB/s+ring:4,bw=1GB/s", std::move(system), NetworkModel::wires).total_ps;
  };
  EXPECT_LT(total(true), total(false) * 3 / 4);
}

// A group of all NPUs that differ only in some dimensions runs the algorithms of these; another group is a ring.
TEST(Physical, AGroupThatSpansDimensionsRunsTheirAlgorithms) {
  const auto total_ns = [&](std::vector<std::vector<Rank>> groups) {
    auto traces = ranks(24);
    auto system = system_with(NativeAlgorithm::ring, 1, 3);
    for (CollectiveChoice& c : system->config.collectives) c.per_dim[1].algorithm = NativeAlgorithm::direct;
    for (const std::vector<Rank>& g : groups) {
      const auto id = static_cast<std::int64_t>(system->groups.size() + 1);
      for (const Rank r : g) all_reduce(traces[r], 0, 12'000, {}, std::to_string(id));
      system->groups.push_back({.id = id, .ranks = g});
    }
    return run_workload(traces, "ring:2,bw=1GB/s+fully_connected:4,bw=1GB/s+ring:3,bw=1GB/s", std::move(system),
                        NetworkModel::wires)
               .total_ps /
           ps_per_ns;
  };
  EXPECT_EQ(total_ns({{0, 2, 4, 6}}), 2 * 3000);  // to all at once
  EXPECT_EQ(total_ns({{6, 2, 0, 4}, {9, 11, 13, 15}}), 2 * 3000);
  EXPECT_EQ(total_ns({{0, 8, 16}}), 4 * 4000);
  EXPECT_EQ(total_ns({{0, 1, 2, 3, 4, 5, 6, 7}}), 2 * 6000 + 2 * 1500);  // halves, then quarters of the halves
  EXPECT_EQ(total_ns({{1, 3, 5}}), 4 * 4000);                            // three of the four
  EXPECT_EQ(total_ns({{0, 2, 5, 7}}), 6 * 4500);                         // half of its neighbours are two links
                                                                         // away
}

// Three links of 1 GB/s, all in use at once, equal one of 3 GB/s, as do a ring's two directions of 1.5 GB/s.
TEST(Physical, BalancedChunksCountAllLinksThatAnNpuSendsOn) {
  SystemModel model;
  model.dims = {4, 4};
  model.npus = 16;
  model.optimization = CollectiveOptimization::local_bw_aware;
  model.rules = Rules{false};
  model.balanced = true;
  const auto orders = [&](std::int64_t chunks, Topology topology, NativeAlgorithm algorithm, double first,
                          double second) {
    model.splits = chunks;
    model.topology_by_dim = {topology, Topology::switched};
    model.bytes_per_ns_by_dim = {first, second};
    for (CollectiveChoice& c : model.collectives)
      c.per_dim = {{.algorithm = algorithm}, {.algorithm = NativeAlgorithm::halving_doubling}};
    return plan_collective(model, {}, {.bytes = 1 << 20}).order_of;
  };
  const std::vector<std::uint32_t> alternately = {0, 1, 0, 1, 0, 1, 0, 1};
  EXPECT_EQ(orders(8, Topology::switched, NativeAlgorithm::halving_doubling, 3, 3), alternately);
  EXPECT_EQ(orders(8, Topology::fully_connected, NativeAlgorithm::direct, 1, 3), alternately);
  EXPECT_EQ(orders(8, Topology::ring, NativeAlgorithm::ring, 1.5, 3), alternately);
  EXPECT_EQ(orders(8, Topology::fully_connected, NativeAlgorithm::ring, 1, 3),
            orders(8, Topology::switched, NativeAlgorithm::halving_doubling, 1, 3));
  // Two chunks that begin in different dimensions would occupy the slow one for longer than both in one order.
  EXPECT_TRUE(orders(2, Topology::switched, NativeAlgorithm::halving_doubling, 2, 1).empty());
  EXPECT_FALSE(orders(16, Topology::switched, NativeAlgorithm::halving_doubling, 2, 1).empty());
}

// The first chunks have priority on links, so dimensions are busy from the beginning: 2 (1 - 1/64) of 16 MiB at 8 +
// 2 GB/s would be 3.30 ms.
TEST(Physical, BalancedChunksGoInTheirOrder) {
  auto traces = ranks(64);
  for (Trace& t : traces) coll(t, 0, Collective::all_reduce, 1 << 24);
  const auto total = [&](bool balanced) {
    auto system = system_with(NativeAlgorithm::halving_doubling, 64, 2);
    system->balanced = balanced;
    system->config.active_chunks_per_dimension = 8;
    return run_workload(traces, "switch:8,bw=8GB/s+switch:8,bw=2GB/s", std::move(system), NetworkModel::wires)
        .total_ps;
  };
  EXPECT_EQ(total(false), 3'923'968'000);
  EXPECT_EQ(total(true), 3'440'640'000);
}

// A late NPU meets the others in other phases of other chunks; no NPU waits forever.
TEST(Physical, ALateNpuDelaysButDoesNotStopTheOthers) {
  auto traces = ranks(8);
  for (Trace& t : traces) {
    if (t.rank == 5) comp(t, 0, 100);
    coll(t, 1, Collective::all_reduce, 16'384,
         t.rank == 5 ? std::initializer_list<NodeId>{0} : std::initializer_list<NodeId>{});
  }
  const auto r = run_workload(traces, "ring:2,bw=1GB/s,lat=17ns+ring:2,bw=1GB/s,lat=500ns+ring:2,bw=4GB/s,lat=17ns",
                              system_with(NativeAlgorithm::ring, 2, 3), NetworkModel::unaware);
  for (std::size_t npu = 0; npu < 8; ++npu) EXPECT_GE(finish_ns(r, npu), 100'000);
}

TEST(Physical, AStragglerComputesLonger) {
  auto traces = ranks(2);
  for (Trace& t : traces) comp(t, 0, 10);
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.slow = {{1, 1.5}};
  Diagnostics diagnostics;
  const auto r = test::replay_traces(traces, net("ideal"), options, diagnostics);
  ASSERT_TRUE(r);
  EXPECT_EQ(finish_ns(*r, 0), 10'000);
  EXPECT_EQ(finish_ns(*r, 1), 15'000);
}

TEST(Physical, SymmetryChangesNothing) {
  for (const auto algorithm : {NativeAlgorithm::ring, NativeAlgorithm::direct, NativeAlgorithm::halving_doubling}) {
    auto traces = ranks(8);
    for (Trace& t : traces) coll(t, 0, Collective::all_reduce, 8 * 4 * 1000);
    const auto with =
        run_workload(traces, "switch:8,bw=1GB/s", system_with(algorithm, 4, 1), NetworkModel::unaware);
    const auto without =
        run_workload(traces, "switch:8,bw=1GB/s", system_with(algorithm, 4, 1), NetworkModel::unaware, false);
    EXPECT_EQ(with.classes, 1U);
    EXPECT_EQ(without.classes, 0U);
    for (std::size_t npu = 0; npu < 8; ++npu) EXPECT_EQ(with.npus[npu].finish_ps, without.npus[npu].finish_ps);
  }
}

}  // namespace
}  // namespace convert
