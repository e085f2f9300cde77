// SPDX-License-Identifier: MIT
// Properties of all replays, on random workloads, systems and networks.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <vector>

#include "sanitized.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

constexpr std::size_t time_fields = 9;

std::vector<NpuNumbers> numbers(const ReplayResult& r) {
  std::vector<NpuNumbers> all;
  for (const NpuResult& n : r.npus) all.push_back(npu_numbers(n));
  return all;
}

using CollectiveTimes = std::vector<std::array<std::int64_t, 7>>;
CollectiveTimes collective_times(const ReplayResult& r) {
  CollectiveTimes all;
  for (const CollectiveResult& c : r.collectives)
    all.push_back({c.group, c.number, c.npus, static_cast<std::int64_t>(c.first_node), c.begin_ps, c.last_begin_ps,
                   c.end_ps.value_or(-1)});
  return all;
}

ReplayResult run_to_end(const RandomCase& c) {
  ReplayResult r = run(c);
  EXPECT_EQ(r.status, ReplayStatus::complete) << describe(c);
  return r;
}

constexpr std::uint64_t cases = test::rounds(400U);

template <typename Check>
void for_cases(const Wanted& wanted, const Check& check) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const RandomCase c = CaseMaker(seed, wanted).make();
    if (c.items.empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    check(c, seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ReplayProperties, SameResultTwice) {
  for_cases({}, [](const RandomCase& c, std::uint64_t) {
    const ReplayResult a = run_to_end(c);
    const ReplayResult b = run_to_end(c);
    EXPECT_EQ(numbers(a), numbers(b));
    EXPECT_EQ(collective_times(a), collective_times(b));
  });
}

TEST(ReplayProperties, TimeIsInverseToBandwidth) {
  Wanted wanted{.comps = false, .overheads = false, .exact_ns = true};
  for_cases(wanted, [](RandomCase c, std::uint64_t seed) {
    // ASTRA-sim adds 10 ns to a step of a process group.
    if (!c.groups.empty()) c.options.astra = false;
    const ReplayResult slow = run_to_end(c);
    const std::int64_t k = seed % 2 == 0 ? 2 : 4;
    for (NetworkDim& d : c.dims) d.bytes_per_ns *= static_cast<double>(k);
    const ReplayResult fast = run_to_end(c);
    auto expected = numbers(slow);
    auto actual = numbers(fast);
    for (NpuNumbers& n : actual) {
      for (std::size_t i = 0; i < time_fields; ++i) n[i] *= k;
    }
    EXPECT_EQ(actual, expected);
    EXPECT_GT(slow.total_ps, 0);
  });
}

TEST(ReplayProperties, WiresAreAwareWhereDelaysAreWholeNs) {
  Wanted wanted{.models = {NetworkModel::aware}, .exact_ns = true};
  for_cases(wanted, [](RandomCase c, std::uint64_t) {
    const ReplayResult aware = run_to_end(c);
    c.options.network.model = NetworkModel::wires;
    c.options.network.forwarding = Forwarding::store;
    const ReplayResult wires = run_to_end(c);
    EXPECT_EQ(numbers(wires), numbers(aware));
    EXPECT_EQ(collective_times(wires), collective_times(aware));
  });
}

// If messages of different NPUs never meet, each hop is truncated by less than 1 ns.
TEST(ReplayProperties, WiresAreAwareUpToRounding) {
  Wanted wanted{.topologies = {Topology::fully_connected},
                .models = {NetworkModel::aware},
                .max_dims = 1,
                .messages = false,
                .groups = false};
  for_cases(wanted, [](RandomCase c, std::uint64_t) {
    c.system.rendezvous = false;
    const ReplayResult aware = run_to_end(c);
    c.options.network.model = NetworkModel::wires;
    const ReplayResult wires = run_to_end(c);
    std::uint64_t messages = 0;
    for (const NpuResult& n : aware.npus) messages += n.sends;
    EXPECT_GE(wires.total_ps, aware.total_ps);
    EXPECT_LE(wires.total_ps, aware.total_ps + static_cast<Picoseconds>(messages) * ps_per_ns);
  });
}

TEST(ReplayProperties, AnIdleNpuChangesNothing) {
  Wanted wanted{.topologies = {Topology::fully_connected, Topology::switched}, .max_dims = 1, .whole = false};
  for_cases(wanted, [](RandomCase c, std::uint64_t) {
    auto expected = numbers(run_to_end(c));
    ++c.dims[0].npus;
    auto actual = numbers(run_to_end(c));
    EXPECT_EQ(actual.back(), NpuNumbers{});
    actual.pop_back();
    EXPECT_EQ(actual, expected);
  });
}

// Moves ranks along each dimension.
Rank rotated(Rank rank, const std::vector<NetworkDim>& dims, std::uint64_t by) {
  Rank result = 0;
  Rank stride = 1;
  for (const NetworkDim& d : dims) {
    const auto n = static_cast<Rank>(d.npus);
    result += stride * ((rank % n + static_cast<Rank>(by % n)) % n);
    rank /= n;
    stride *= n;
    by /= 3;
  }
  return result;
}

RandomCase rotated(const RandomCase& c, std::uint64_t by) {
  RandomCase r = c;
  for (std::size_t g = 0; g < r.groups.size(); ++g) {
    for (Rank& rank : r.groups[g]) rank = rotated(rank, c.dims, by);
    r.system.groups[g].ranks = r.groups[g];
  }
  for (std::size_t i = 0; i < r.items.size(); ++i) {
    Item& item = r.items[i];
    item.from = rotated(item.from, c.dims, by);
    item.to = rotated(item.to, c.dims, by);
    for (Rank rank = 0; rank < item.us.size(); ++rank) item.us[rotated(rank, c.dims, by)] = c.items[i].us[rank];
  }
  return r;
}

// Store and forward: with cut-through, heads over links without latency would arrive at one time.
void expect_rotation(RandomCase c, std::uint64_t by) {
  if (c.options.network.model == NetworkModel::wires) c.options.network.forwarding = Forwarding::store;
  const auto expected = numbers(run_to_end(c));
  const auto actual = numbers(run_to_end(rotated(c, by)));
  for (Rank r = 0; r < expected.size(); ++r) EXPECT_EQ(actual[rotated(r, c.dims, by)], expected[r]) << "NPU " << r;
}

TEST(ReplayProperties, RotatedRanksHaveRotatedTimesWhereMessagesDoNotMeet) {
  Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched},
                .models = {NetworkModel::unaware},
                .rounds_only = true,
                .exact_ns = true};  // sizes that can be shared evenly: otherwise the first members have larger
                                    // shards
  for_cases(wanted, [](RandomCase c, std::uint64_t seed) {
    if (!c.options.astra) {
      c.system.queues_per_dim = 1;  // otherwise the first NPU that calls decides on directions
      c.system.config.active_chunks_per_dimension = *c.system.config.dataset_splits;
    }
    expect_rotation(c, seed);
  });
}

// The order of coinciding events cannot matter: one chunk at a time, and each link has one source.
TEST(ReplayProperties, RotatedRanksHaveRotatedTimesOnWiresOfTheirOwn) {
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected},
                      .max_dims = 1,
                      .messages = false,
                      .rounds_only = true,
                      .exact_ns = true};
  for_cases(wanted, [](RandomCase c, std::uint64_t seed) {
    c.system.queues_per_dim = 1;
    c.system.config.active_chunks_per_dimension = 1;
    for (std::size_t i = 0; i < c.items.size(); ++i) {
      c.items[i].layer = static_cast<int>(i);
      if (c.dims[0].topology == Topology::ring) c.items[i].group = 0;
    }
    if (c.dims[0].topology == Topology::ring) {
      c.system.rendezvous = false;
      for (CollectiveChoice& choice : c.system.config.collectives) choice.per_dim = {AlgorithmChoice{}};
    }
    expect_rotation(c, seed);
  });
}

// Messages of different sizes compete for links; no two reach one at the same time.
TEST(ReplayProperties, RotatedRanksHaveRotatedTimesWhereNothingFallsTogether) {
  const Wanted wanted{.topologies = {Topology::ring, Topology::fully_connected, Topology::switched},
                      .models = {NetworkModel::aware, NetworkModel::wires},
                      .groups = false,
                      .whole = false};
  for_cases(wanted, [](RandomCase c, std::uint64_t seed) {
    c.system.rendezvous = false;     // requests have equal sizes
    c.options.network.routing = {};  // shortest routes depend on the devices' numbers
    expect_rotation(c, seed);
  });
}

}  // namespace
}  // namespace convert::test
