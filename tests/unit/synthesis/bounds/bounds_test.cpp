// SPDX-License-Identifier: MIT
#include "synthesis/bounds/bounds.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "sanitized.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;
using test::SynthesisDraw;

const std::vector<Collective> bounded = {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                                         Collective::all_to_all, Collective::broadcast,      Collective::reduce,
                                         Collective::scatter,    Collective::gather};

Bounds bounds_of(const std::string& network, Collective collective, std::int64_t shard_bytes = 1 << 20) {
  return find_bounds(test::problem_of(parse_short_network(network), collective, shard_bytes));
}

Fraction rate_of(const SynthesisProblem& p, const Bounds& bounds, BoundKind kind) {
  return us_per_byte(p.graph, bounds.find(kind)->crossings.front());
}

// The ratio of all collectives except an all-to-all.
Fraction main_rate(const SynthesisProblem& p, const Bounds& bounds) {
  return rate_of(p, bounds, p.collective == Collective::all_reduce ? BoundKind::cut : BoundKind::bandwidth);
}

TEST(BoundsTest, OfARing) {
  const auto p = test::problem_of(parse_short_network("ring:8,bw=50GB/s,lat=500ns"), Collective::all_gather);
  const Bounds b = find_bounds(p);
  ASSERT_EQ(b.all.size(), 3U);
  EXPECT_EQ(b.find(BoundKind::latency)->time, 2'000'000);
  EXPECT_EQ(b.find(BoundKind::latency)->ends, (std::pair{Device{0}, Device{4}}));
  EXPECT_EQ(b.find(BoundKind::bandwidth)->time, 73'400'320);
  EXPECT_EQ(rate_of(p, b, BoundKind::bandwidth), (Fraction{7, 100'000}));
  EXPECT_EQ(b.find(BoundKind::together)->time, 73'900'320);
  EXPECT_EQ(b.lower, 73'900'320);
  EXPECT_LE(b.flows, 9U);
  EXPECT_EQ(b.find(BoundKind::slots), nullptr);
}

TEST(BoundsTest, OfWholeShardsOnBusyLinks) {
  auto p = test::problem_of(parse_short_network("ring:8,bw=50GB/s,lat=500ns"), Collective::all_gather);
  p.occupancy = Schedule::Occupancy::alpha_beta;
  const Bounds b = find_bounds(p);
  EXPECT_EQ(b.find(BoundKind::slots)->time, 85'886'080);
  EXPECT_FALSE(b.find(BoundKind::slots)->limits);
  EXPECT_EQ(b.lower, 73'900'320);
  p.collective = Collective::reduce_scatter;
  EXPECT_EQ(find_bounds(p).find(BoundKind::slots)->time, 85'886'080);
  p.collective = Collective::broadcast;
  EXPECT_EQ(find_bounds(p).find(BoundKind::slots), nullptr);
}

TEST(BoundsTest, OfLinksWithoutLatencyAndWithTooMuch) {
  const Bounds b = bounds_of("ring:8,bw=50GB/s", Collective::all_gather);
  EXPECT_EQ(b.find(BoundKind::latency)->ends, (std::pair{Device{0}, Device{1}}));
  EXPECT_EQ(b.lower, 73'400'320);
  for (const Collective c : bounded) {
    EXPECT_EQ(test::error_text([&] { (void)bounds_of("ring:8,bw=50GB/s,lat=9000000s", c); }, Error::Kind::input),
              ": latencies add up to more than 106 days");
  }
}

// 8 shards of 1 MiB: the middle link of a mesh, or a corner, is decisive.
TEST(BoundsTest, OfALineByCollective) {
  const std::string line = "mesh:8,bw=50GB/s,lat=500ns";
  constexpr std::int64_t shard = 20'971'520;  // picoseconds
  EXPECT_EQ(bounds_of(line, Collective::all_gather).find(BoundKind::bandwidth)->time, 7 * shard);
  EXPECT_EQ(bounds_of(line, Collective::reduce_scatter).find(BoundKind::bandwidth)->time, 7 * shard);
  EXPECT_EQ(bounds_of(line, Collective::broadcast).find(BoundKind::bandwidth)->time, 8 * shard);
  EXPECT_EQ(bounds_of(line, Collective::reduce).find(BoundKind::bandwidth)->time, 8 * shard);
  EXPECT_EQ(bounds_of(line, Collective::scatter).find(BoundKind::bandwidth)->time, 7 * shard);
  EXPECT_EQ(bounds_of(line, Collective::gather).find(BoundKind::bandwidth)->time, 7 * shard);
  const Bounds reduce = bounds_of(line, Collective::all_reduce);
  EXPECT_EQ(reduce.find(BoundKind::two_phase)->time, 14 * shard);
  EXPECT_FALSE(reduce.find(BoundKind::two_phase)->limits);
  EXPECT_EQ(reduce.find(BoundKind::cut)->time, 8 * shard);
  EXPECT_EQ(reduce.find(BoundKind::traffic)->time, 8 * shard);  // 2 · 7 · 8 shards over 14 links
  EXPECT_EQ(reduce.lower, 8 * shard + 500'000);
  const Bounds exchange = bounds_of(line, Collective::all_to_all);
  EXPECT_NEAR(static_cast<double>(exchange.find(BoundKind::bandwidth)->time), 16. * shard, 16. * shard * 5e-3);
  EXPECT_EQ(exchange.find(BoundKind::cut)->time, 16 * shard);  // 4 · 4 shards over the link in the middle
}

TEST(BoundsTest, OfOneParticipantAreNothing) {
  for (const Collective c : bounded) {
    const auto p = test::problem_of(parse_short_network("ring:4,bw=50GB/s,lat=500ns"), c, 1 << 20, {{2}}, 2);
    EXPECT_TRUE(find_bounds(p).all.empty());
    EXPECT_EQ(find_bounds(p).lower, 0);
  }
}

// The sum of the links confirms each bound.
TEST(BoundsTest, AreProvedByTheirLinks) {
  SynthesisDraw draw(5);
  for (int round = 0; round < test::rounds(60); ++round) {
    const NetworkConfig network = test::random_network(draw, 9, 3);
    const auto group = test::random_group(draw, network.graph.npus);
    for (const Collective c : bounded) {
      const auto p = test::problem_of(network, c, 1 << 20, group, draw.of(group));
      for (const Bound& bound : find_bounds(p).all) {
        double us = 0;
        for (const Crossing& crossing : bound.crossings) {
          std::int64_t sum = 0;
          for (const std::uint32_t l : crossing.links) sum += p.graph.links[l].bandwidth;
          EXPECT_EQ(sum, crossing.bandwidth);
          us += us_per_byte(p.graph, crossing).value() * static_cast<double>(crossing.part_bytes);
        }
        const double time = static_cast<double>(bound.time) * 1e-6;
        EXPECT_LE(us, time + 2e-6 + us * 1e-12);
        const bool exact = bound.kind != BoundKind::together && !bound.crossings.empty();
        EXPECT_TRUE(!exact || us >= time - us * 1e-12) << us << " " << time;
      }
    }
  }
}

NetworkConfig relabelled(const NetworkConfig& network, const std::vector<Rank>& names) {
  NetworkConfig out = network;
  for (GraphWire& w : out.graph.wires) {
    if (w.from < names.size()) w.from = names[w.from];
    if (w.to < names.size()) w.to = names[w.to];
  }
  return out;
}

TEST(BoundsTest, DoNotDependOnTheNumbersOfNpus) {
  SynthesisDraw draw(11);
  for (int round = 0; round < test::rounds(60); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 3);
    std::vector<Rank> names(network.graph.npus);
    std::iota(names.begin(), names.end(), Rank{0});
    draw.shuffle(names);
    const NetworkConfig other = relabelled(network, names);
    for (const Collective c : bounded) {
      if (c == Collective::all_to_all) continue;  // its lengths are near the best, not the best
      const auto p = test::problem_of(network, c, 1 << 20, std::nullopt, 0);
      const auto q = test::problem_of(other, c, 1 << 20, std::nullopt, names[0]);
      const Bounds a = find_bounds(p), b = find_bounds(q);
      EXPECT_EQ(main_rate(p, a), main_rate(q, b));
      EXPECT_EQ(a.find(BoundKind::latency)->time, b.find(BoundKind::latency)->time);
    }
  }
}

TEST(BoundsTest, HalveWithTwiceTheBandwidth) {
  SynthesisDraw draw(12);
  for (int round = 0; round < test::rounds(60); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 3);
    NetworkConfig fast = network;
    for (GraphWire& w : fast.graph.wires) w.bytes_per_ns *= 2;
    for (const Collective c : bounded) {
      const auto p = test::problem_of(network, c), q = test::problem_of(fast, c);
      const Bounds a = find_bounds(p), b = find_bounds(q);
      if (c == Collective::all_to_all) {
        EXPECT_NEAR(static_cast<double>(a.find(BoundKind::bandwidth)->time),
                    2. * static_cast<double>(b.find(BoundKind::bandwidth)->time), 2);
        continue;
      }
      const Fraction slow = main_rate(p, a), half = main_rate(q, b);
      EXPECT_EQ(static_cast<WideInteger>(slow.numerator) * half.denominator,
                static_cast<WideInteger>(2) * half.numerator * slow.denominator);
    }
  }
}

TEST(BoundsTest, OfOppositesAreThoseOfTheReversedNetwork) {
  SynthesisDraw draw(13);
  for (int round = 0; round < test::rounds(60); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 3);
    NetworkConfig back = network;
    for (GraphWire& w : back.graph.wires) std::swap(w.from, w.to);
    for (const auto& [one, other] : {std::pair{Collective::all_gather, Collective::reduce_scatter},
                                     {Collective::broadcast, Collective::reduce},
                                     {Collective::scatter, Collective::gather}}) {
      const auto p = test::problem_of(network, one), q = test::problem_of(back, other);
      const Bounds a = find_bounds(p), b = find_bounds(q);
      EXPECT_EQ(main_rate(p, a), main_rate(q, b));
      EXPECT_EQ(a.lower, b.lower);
    }
  }
}

TEST(BoundsTest, AreNotRaisedByALink) {
  SynthesisDraw draw(14);
  for (int round = 0; round < test::rounds(60); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 3);
    NetworkConfig more = network;
    test::add_random_wire(more.graph, draw, draw.below(network.graph.devices()),
                          draw.below(network.graph.devices()));
    for (const Collective c : bounded) {
      if (c == Collective::all_to_all) continue;
      const auto p = test::problem_of(network, c), q = test::problem_of(more, c);
      const Bounds a = find_bounds(p), b = find_bounds(q);
      EXPECT_FALSE(less(main_rate(p, a), main_rate(q, b)));
      EXPECT_LE(b.find(BoundKind::latency)->time, a.find(BoundKind::latency)->time);
      if (c != Collective::all_reduce) continue;
      EXPECT_FALSE(less(rate_of(p, a, BoundKind::traffic), rate_of(q, b, BoundKind::traffic)));
    }
  }
}

// Slow links and long latencies: within the range of schedules, or an error.
TEST(BoundsTest, AreNoLongerThanSchedules) {
  const auto refusal = [](const std::string& network, std::int64_t shard) {
    return test::error_text([&] { (void)bounds_of(network, Collective::all_gather, shard); }, Error::Kind::input);
  };
  const std::string too_long = ": the collective takes more than 53 days; check size, bandwidths and latencies";
  EXPECT_EQ(bounds_of("ring:4,bw=1B/s", Collective::all_gather, 3'000'000).lower, 4'500'000 * 1'000'000'000'000);
  EXPECT_EQ(refusal("ring:4,bw=1B/s", 3'350'000), too_long);
  EXPECT_EQ(refusal("ring:4,bw=1B/s", 6'000'000), too_long);
  EXPECT_EQ(refusal("ring:4,bw=1GB/s,lat=2500000s", 1), too_long);
}

TEST(BoundsTest, HoldForHugeSizes) {
  const std::string ring = "ring:4,bw=50GB/s,lat=500ns";
  EXPECT_GT(bounds_of(ring, Collective::all_gather, std::int64_t{1} << 48).lower, 0);
  for (const Collective c : bounded) {
    const std::string error =
        test::error_text([&] { (void)bounds_of(ring, c, std::int64_t{1} << 60); }, Error::Kind::input);
    EXPECT_NE(error.find("53 days"), std::string::npos) << error;
  }
}

}  // namespace
