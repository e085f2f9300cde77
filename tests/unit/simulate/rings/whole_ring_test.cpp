// SPDX-License-Identifier: MIT
// Rings simulated as a whole give the same result as message by message.
#include "simulate/rings/whole_ring.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

#include "core/diagnostic.h"
#include "sanitized.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

constexpr Picoseconds ns = 1000;

TEST(WholeRing, EachWaitsForTheOneBefore) {
  WholeRing ring;
  ring.reset(3);
  for (std::uint32_t i = 0; i < 3; ++i) ring.delay(i, 0, (i == 0 ? 100 : 10) * ns);  // the route to 0 is long
  ring.begins(0, 0);
  ring.begins(1, 5 * ns);
  ring.begins(2, 50 * ns);
  ring.prepare(2, 7 * ns);
  ring.round({.pass = {7 * ns, 0}});
  EXPECT_EQ(ring.time(0), (50 + 100 + 7) * ns);
  EXPECT_EQ(ring.time(1), (0 + 10 + 7) * ns);
  EXPECT_EQ(ring.time(2), (50 + 7) * ns);  // its message has waited since 15
  ring.round({});
  EXPECT_EQ(ring.time(0), (50 + 100 + 7) * ns);
  EXPECT_EQ(ring.time(1), (157 + 10) * ns);
  EXPECT_EQ(ring.time(2), 57 * ns);
  EXPECT_EQ(ring.larger_received(), (std::vector<std::int64_t>{0, 0, 0, 0}));
}

TEST(WholeRing, LargerMessagesGoRound) {
  WholeRing ring;
  ring.reset(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ring.begins(i, 0);
    ring.delay(i, 0, 10 * ns);
    ring.delay(i, 1, 12 * ns);
  }
  ring.prepare(1, 2 * ns);
  ring.round({.first_larger = 3, .larger = 2, .pass = {1 * ns, 2 * ns}});  // to 3 and 0
  std::vector<Picoseconds> times;
  for (std::uint32_t i = 0; i < 4; ++i) times.push_back(ring.time(i));
  EXPECT_EQ(times, (std::vector<Picoseconds>{14 * ns, 11 * ns, 11 * ns, 14 * ns}));
  ring.round({.first_larger = 1, .larger = 3});
  std::vector<std::int64_t> larger = ring.larger_received();
  larger.resize(4);
  EXPECT_EQ(larger, (std::vector<std::int64_t>{1, 1, 1, 2}));
}

TEST(WholeRing, RoundsThatAreAlikeRepeat) {
  Random random(1);
  for (std::uint32_t members = 2; members < 12; ++members) {
    WholeRing ring;
    WholeRing by_round;
    for (WholeRing* r : {&ring, &by_round}) r->reset(members);
    for (std::uint32_t i = 0; i < members; ++i) {
      const Picoseconds begin = random.in(0, 1000);
      const Picoseconds delay = random.in(0, 90);
      for (WholeRing* r : {&ring, &by_round}) {
        r->begins(i, begin);
        r->delay(i, 0, delay);
        r->prepare(1000, 7);
      }
    }
    ring.alike(1000 + members, 7);
    for (std::uint32_t k = 0; k < 1000 + members; ++k) by_round.round({.pass = {7, 0}});
    for (std::uint32_t i = 0; i < members; ++i) EXPECT_EQ(ring.time(i), by_round.time(i)) << i << " of " << members;
  }
}

TEST(WholeRing, TimeEnds) {
  WholeRing ring;
  ring.reset(2);
  constexpr Picoseconds most = std::numeric_limits<Picoseconds>::max();
  for (std::uint32_t i = 0; i < 2; ++i) {
    ring.begins(i, 0);
    ring.delay(i, 0, most / 2);
  }
  ring.prepare(3, 1);
  ring.round({.pass = {1, 0}});
  EXPECT_EQ(ring.time(0), most / 2 + 1);
  ring.round({});
  EXPECT_EQ(ring.time(1), most);
  EXPECT_THROW(ring.round({}), Error);
}

using Collectives =
    std::vector<std::tuple<std::int64_t, std::uint32_t, Rank, Picoseconds, Picoseconds, Picoseconds>>;

Collectives collectives(const ReplayResult& r) {
  Collectives all;
  for (const CollectiveResult& c : r.collectives)
    all.emplace_back(c.group, c.number, c.first_npu, c.begin_ps, c.last_begin_ps, c.end_ps.value_or(-1));
  return all;
}

using Traffics = std::vector<std::tuple<Rank, Rank, std::int64_t, std::uint64_t>>;

Traffics traffic(const ReplayResult& r) {
  Traffics all;
  for (const PairTraffic& t : r.traffic) all.emplace_back(t.src, t.dst, t.bytes, t.messages);
  return all;
}

// Runs random cases both ways. Returns how many simulated rings as a whole.
unsigned count_whole(const Wanted& wanted, bool astra = true) {
  unsigned whole = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(400U); ++seed) {
    RandomCase c = CaseMaker(seed, wanted).make();
    if (c.items.empty()) continue;
    if (!astra) c.options.astra = false;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    c.options.symmetry = false;
    c.options.traffic = true;
    const ReplayResult a = run(c);
    c.options.whole_rings = false;
    const ReplayResult b = run(c);
    EXPECT_FALSE(b.whole_rings);
    whole += a.whole_rings ? 1 : 0;
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.total_ps, b.total_ps);
    EXPECT_EQ(a.reached_ps, b.reached_ps);
    EXPECT_EQ(a.gaps.has(AstraGap::time_zero), b.gaps.has(AstraGap::time_zero));
    EXPECT_EQ(collectives(a), collectives(b));
    EXPECT_EQ(traffic(a), traffic(b));
    for (std::size_t r = 0; r < a.npus.size(); ++r) EXPECT_EQ(npu_numbers(a.npus[r]), npu_numbers(b.npus[r])) << r;
    if (testing::Test::HasFailure()) break;
  }
  return whole;
}

constexpr unsigned least = test::sanitized ? 8 : 150;

TEST(WholeRings, AreLikeMessages) {
  EXPECT_GE(count_whole({.models = {NetworkModel::unaware}, .rings_only = true}), least);
}

// On links, rings run in lanes, in which nothing else runs.
TEST(WholeRings, InLanesAreLikeMessages) {
  Wanted wanted{.models = {NetworkModel::aware, NetworkModel::wires}, .messages = false, .rings_only = true};
  EXPECT_GE(count_whole(wanted, false), test::sanitized ? 0U : 5U);
  wanted.max_dims = 1;
  wanted.one_by_one = true;
  EXPECT_GE(count_whole(wanted, false), test::sanitized ? 4U : 80U);
  wanted.topologies = {Topology::ring};
  wanted.exact_ns = true;
  EXPECT_GE(count_whole(wanted, false), test::sanitized ? 4U : 80U);
  wanted.comps = wanted.overheads = false;
  EXPECT_GE(count_whole(wanted, false), test::sanitized ? 4U : 80U);
}

// Many events coincide.
TEST(WholeRings, AreLikeMessagesInStep) {
  Wanted in_step{.models = {NetworkModel::unaware}, .rings_only = true, .exact_ns = true};
  in_step.topologies = {Topology::switched};
  EXPECT_GE(count_whole(in_step), least);
  in_step.overheads = false;
  EXPECT_GE(count_whole(in_step), least);
  in_step.comps = false;
  in_step.messages = false;
  EXPECT_GE(count_whole(in_step), least);
  in_step.overheads = true;
  EXPECT_GE(count_whole(in_step), least);
}

}  // namespace
}  // namespace convert::test
