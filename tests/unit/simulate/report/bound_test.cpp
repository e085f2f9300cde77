// SPDX-License-Identifier: MIT
#include "simulate/report/bound.h"

#include <gtest/gtest.h>

#include <numeric>

#include "common/replay_traces.h"
#include "simulate/report/values.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

std::vector<Rank> all(Rank n) {
  std::vector<Rank> members(n);
  std::iota(members.begin(), members.end(), Rank{0});
  return members;
}

double bound_ns(const std::string& network, Collective op, std::int64_t size, const std::vector<Rank>& members,
                std::uint32_t root = 0, const std::vector<std::string>& failed = {}) {
  const NetworkReach reach(net(network), {.model = NetworkModel::wires, .failed = failed});
  const auto of = reach.of(members, root, ways_of(op));
  if (!of) return -1;
  const auto n = static_cast<std::uint32_t>(members.size());
  return static_cast<double>(lower_bound(op, size, n, *of)) / static_cast<double>(ps_per_ns);
}

TEST(Bound, CarriesWhatEachNpuMustSendOrReceive) {
  // 2 * 7/8 * 2^20 B at 50 B/ns, over two links.
  EXPECT_DOUBLE_EQ(bound_ns("switch:8,bw=50GB/s,lat=500ns", Collective::all_reduce, 1 << 20, all(8)), 37700.16);
  // 3000 B over two links, 10 ns.
  EXPECT_DOUBLE_EQ(bound_ns("ring:4,bw=1GB/s,lat=10ns", Collective::all_gather, 4000, all(4)), 1510);
  EXPECT_DOUBLE_EQ(bound_ns("ring:4,bw=1GB/s,lat=10ns", Collective::reduce_scatter, 4000, all(4)), 1510);
  EXPECT_DOUBLE_EQ(bound_ns("fully_connected:4,bw=1GB/s,lat=10ns", Collective::all_to_all, 4000, all(4)), 1010);
  EXPECT_DOUBLE_EQ(bound_ns("ring:2,bw=1GB/s,lat=10ns", Collective::all_gather, 4000, all(2)), 2010);
  EXPECT_DOUBLE_EQ(bound_ns("tree:2x2,bw=1GB/s|2GB/s,lat=5ns|7ns", Collective::all_to_all, 400, all(4)), 310);
  EXPECT_DOUBLE_EQ(bound_ns("switch:4,bw=1GB/s,lat=5ns", Collective::gather, 4000, all(4)), 3010);
  EXPECT_DOUBLE_EQ(bound_ns("switch:4,bw=1GB/s,lat=5ns", Collective::scatter, 4000, all(4)), 3010);
}

TEST(Bound, CoversTheLongestWay) {
  EXPECT_DOUBLE_EQ(bound_ns("ring:4,bw=1GB/s,lat=10ns", Collective::all_gather, 4, all(4)), 20.5);
  EXPECT_DOUBLE_EQ(bound_ns("tree:2x2,bw=1GB/s|2GB/s,lat=5ns|7ns", Collective::barrier, 0, all(4)), 24);
  EXPECT_DOUBLE_EQ(bound_ns("mesh:4,bw=1GB/s,lat=10ns", Collective::broadcast, 1000, all(4)), 1030);
  EXPECT_DOUBLE_EQ(bound_ns("mesh:4,bw=1GB/s,lat=10ns", Collective::barrier, 0, all(4), 1), 30);  // between any two
                                                                                                  // NPUs
  EXPECT_DOUBLE_EQ(bound_ns("mesh:4,bw=1GB/s,lat=10ns", Collective::reduce, 1000, all(4), 1), 1010);
}

TEST(Bound, CountsDimensionsInWhichMembersDiffer) {
  EXPECT_DOUBLE_EQ(bound_ns("torus:2x4,bw=1GB/s,lat=10ns", Collective::all_gather, 2000, {0, 1}), 1010);
  EXPECT_DOUBLE_EQ(bound_ns("torus:2x4,bw=1GB/s,lat=10ns", Collective::all_gather, 2000, {0, 2}), 510);
  EXPECT_DOUBLE_EQ(bound_ns("torus:2x4,bw=1GB/s,lat=10ns", Collective::all_gather, 2000, {0, 1, 2, 3}), 510);
}

TEST(Bound, FailedWiresAreGone) {
  EXPECT_DOUBLE_EQ(bound_ns("ring:4,bw=1GB/s,lat=10ns", Collective::all_gather, 4000, all(4), 0, {"0-1"}), 3010);
  EXPECT_DOUBLE_EQ(bound_ns("ring:4,bw=1GB/s,lat=10ns", Collective::barrier, 0, all(4), 0, {"0-1"}), 30);
  EXPECT_DOUBLE_EQ(
      bound_ns("mesh:2,bw=1GB/s,lat=10ns+switch:2,bw=1GB/s,lat=10ns", Collective::barrier, 0, {0, 1}, 0, {"2-3"}),
      10);
}

TEST(Bound, NoneForAnIdealNetwork) { EXPECT_EQ(bound_ns("ideal", Collective::all_gather, 4000, all(4)), -1); }

// No simulated collective is faster, for any network, operation, size and algorithm.
TEST(Bound, HoldsForEveryReplay) {
  for (const char* network :
       {"ring:8", "mesh:8", "switch:8", "fully_connected:8", "torus:4x2", "switch:2,bw=1GB/s,lat=10ns+ring:4",
        "tree:4x2", "hypercube:8", "ring:6", "mesh:2x3"}) {
    for (const Collective type : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                  Collective::all_to_all, Collective::broadcast, Collective::reduce,
                                  Collective::gather, Collective::scatter, Collective::barrier}) {
      for (const std::int64_t bytes : {8, 1000, 1 << 20}) {
        for (const char* speed : {",bw=1GB/s,lat=10ns", ",bw=100GB/s,lat=1us"}) {
          const NetworkConfig config = net(std::string(network) + speed);
          ReplayOptions options;
          options.network.model = NetworkModel::wires;
          options.issue = IssueMode::workload;
          auto t = ranks(static_cast<Rank>(config.npus()));
          for (Trace& trace : t) coll(trace, 0, type, bytes);
          Diagnostics diagnostics;
          const auto result = test::replay_traces(t, config, options, diagnostics);
          ASSERT_TRUE(result) << network << ' ' << format_diagnostic(diagnostics.all().at(0));
          ASSERT_EQ(result->collectives.size(), 1U);
          const CollectiveKind& kind = result->kinds.at(result->collectives[0].plan);
          ASSERT_TRUE(kind.bound_ps);
          const CollectiveSpeed s = speed_of(kind, *time_of(result->collectives[0]));
          EXPECT_FALSE(s.beyond) << network << speed << ' ' << name(kind.op) << ' ' << bytes << ": "
                                 << *time_of(result->collectives[0]) << " < " << *kind.bound_ps;
        }
      }
    }
  }
}

TEST(CollectiveKind, SizesAndFactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_bandwidth_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_bandwidth_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_bandwidth_factor(Collective::broadcast, 8), 1);
  auto t = ranks(4);
  for (Trace& trace : t) {
    coll(trace, 0, Collective::all_gather, 1000);
    coll(trace, 1, Collective::reduce_scatter, 1000, {0});
    coll(trace, 2, Collective::scatter, 1000, {1});
    coll(trace, 3, Collective::barrier, 0, {2});
  }
  ReplayOptions options;
  options.issue = IssueMode::workload;
  Diagnostics diagnostics;
  const auto replayed = test::replay_traces(t, net("torus:2x2,bw=1GB/s,lat=10ns"), options, diagnostics);
  ASSERT_TRUE(replayed);
  const ReplayResult& result = *replayed;
  ASSERT_EQ(result.kinds.size(), 4U);
  EXPECT_EQ(result.kinds[0].size_bytes, 4000);
  EXPECT_EQ(result.kinds[0].algorithm, "astra:ring+ring");
  EXPECT_EQ(result.kinds[0].npus, 4U);
  EXPECT_EQ(result.kinds[1].size_bytes, 1000);
  EXPECT_EQ(result.kinds[3].size_bytes, 4000);
  EXPECT_EQ(result.kinds[3].algorithm, "star");
  EXPECT_EQ(result.kinds[2].size_bytes, 0);
  EXPECT_TRUE(result.kinds[0].bound_ps);
}

}  // namespace
}  // namespace convert
