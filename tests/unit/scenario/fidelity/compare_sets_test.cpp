// SPDX-License-Identifier: MIT
#include "scenario/fidelity/compare_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "generate/generate.h"
#include "generate/trace_builder.h"

namespace convert {
namespace {

TracesAndGroups made_layers(Rank ranks, const Noise& noise = {}, std::int64_t iterations = 2) {
  GenerateRequest r{.kind = "layers", .ranks = ranks};
  r.layers = 3;
  r.iterations = iterations;
  r.comm = {parse_generated_collective("all_reduce:16MiB")};
  r.noise = noise;
  const MakeTrace make = trace_generator(r);
  TracesAndGroups set;
  for (Rank rank = 0; rank < ranks; ++rank) set.traces.push_back(make(rank));
  return set;
}

Fidelity compared(const TracesAndGroups& a, const TracesAndGroups& b, const FidelityWishes& wishes = {}) {
  Diagnostics diagnostics;
  const Fidelity f = compare_sets(a, b, wishes, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  return f;
}

std::string all_notes(const Fidelity& f) {
  std::string out;
  for (const std::string& note : f.notes) out += note + '\n';
  return out;
}

TEST(CompareSets, ASetIsAsItself) {
  const TracesAndGroups set = made_layers(4);
  const Fidelity f = compared(set, set);
  EXPECT_TRUE(f.same()) << f.sentence();
  EXPECT_EQ(f.notes, std::vector<std::string>());
  EXPECT_EQ(f.ranks.size(), 4U);
  ASSERT_EQ(f.simulated.size(), 8U);
  EXPECT_EQ(f.simulated[0].network, "switch:4,bw=25GB/s,lat=500ns");
  EXPECT_EQ(f.simulated[7].network, "ring:4,bw=400GB/s,lat=500ns");
  // 2 iterations of 3 layers of 50 + 100 µs.
  EXPECT_EQ(f.set.span_a_ps, 900 * ps_per_us);
  for (const RunFidelity& r : f.simulated) {
    EXPECT_TRUE(r.a.complete());
    EXPECT_GT(r.a.span_ps, 900 * ps_per_us) << r.network;
    EXPECT_GT(r.a.exposed_ps, 0) << r.network;
    EXPECT_EQ(r.a.path.has_value(), r.network.find("bw=100GB/s") != std::string::npos) << r.network;
    const PathShares path = r.a.path.value_or(PathShares{.computing = 1});
    EXPECT_NEAR(path.computing + path.communication + path.waiting, 1, 1e-9);
  }
  EXPECT_GT(f.simulated[0].a.exposed_ps, f.simulated[3].a.exposed_ps);
  ASSERT_EQ(f.traffic.size(), 2U);
  EXPECT_EQ(f.traffic[0].network, "switch:4");
  // Six all-reduces, in which each of four ranks sends 3/2 of its bytes.
  EXPECT_EQ(f.traffic[1].a_bytes, 6LL * 4 * (16 << 20) * 3 / 2);
}

TEST(CompareSets, NoiseChangesTimesAlone) {
  const Fidelity f = compared(made_layers(4), made_layers(4, {.node = 0.1}));
  EXPECT_FALSE(f.same());
  EXPECT_EQ(f.set.classes.total_variation, 0);
  EXPECT_EQ(f.set.in_degree, 0);
  EXPECT_EQ(f.set.most_of_sizes(), 0);
  EXPECT_EQ(f.set.calls, 0);
  EXPECT_GT(f.set.most_of_durations(), 0.3);
  EXPECT_LT(std::abs(*f.set.work[0].change()), 0.05);
  EXPECT_LT(std::abs(*f.set.span_change()), 0.1);
  EXPECT_EQ(f.traffic[0].distance, 0);
}

TEST(CompareSets, AnyNumberOfThreadsTellsTheSame) {
  const TracesAndGroups a = made_layers(5), b = made_layers(5, {.rank = 0.2});
  EXPECT_EQ(fidelity_json(compared(a, b, {.jobs = 1}), 0), fidelity_json(compared(a, b, {.jobs = 3}), 0));
}

TEST(CompareSets, MoreIterationsAreOfTheSameClasses) {
  const Fidelity f = compared(made_layers(2), made_layers(2, {}, 20), {.simulate = false});
  EXPECT_EQ(f.set.classes.total_variation, 0);
  EXPECT_EQ(f.set.most_of_durations(), 0);
  EXPECT_EQ(f.set.span_change(), 9);
  EXPECT_EQ(f.set.nodes_b, 10 * f.set.nodes_a);
  EXPECT_TRUE(f.simulated.empty());
}

TEST(CompareSets, OfOtherNumbersOfRanksTheWholesAreCompared) {
  const Fidelity f = compared(made_layers(2), made_layers(4));
  EXPECT_FALSE(f.same());
  EXPECT_TRUE(f.ranks.empty());
  EXPECT_EQ(f.set.classes.total_variation, 0);
  EXPECT_EQ(f.set.span_change(), 0);
  EXPECT_TRUE(f.traffic.empty());
  ASSERT_EQ(f.simulated.size(), 8U);
  EXPECT_EQ(f.simulated[0].network, "switch:2,bw=25GB/s,lat=500ns and switch:4,bw=25GB/s,lat=500ns");
  EXPECT_EQ(all_notes(f), "A and B have different ranks, so only the whole sets are compared\n");
}

// Ranks 0 and 1 both receive before they send.
TracesAndGroups cycle() {
  TracesAndGroups set;
  for (const Rank rank : {0U, 1U}) {
    TraceBuilder b(rank);
    const NodeId got = b.receive(1 - rank, 64);
    b.send(1 - rank, 64, 0, {b.compute("c", 1000, {got})});
    set.traces.push_back(b.finish());
  }
  return set;
}

TEST(CompareSets, WhatNeverEndsIsTold) {
  const Fidelity f = compared(cycle(), cycle());
  EXPECT_TRUE(f.same());
  EXPECT_EQ(f.set.span_a_ps, 1000 * ps_per_ns);  // as recorded, each rank runs independently
  ASSERT_EQ(f.simulated.size(), 8U);
  EXPECT_FALSE(f.simulated[0].a.complete());
  EXPECT_EQ(f.simulated[0].span_change(), std::nullopt);
  EXPECT_NE(all_notes(f).find("A does not run on switch:2,bw=25GB/s,lat=500ns: deadlock: 6 nodes never complete; "
                              "et-validate prints the cause and a remedy\n"),
            std::string::npos)
      << all_notes(f);
  EXPECT_TRUE(f.traffic.empty());
  EXPECT_FALSE(compared(made_layers(2), cycle()).same());
}

TEST(CompareSets, ACycleHasNoSpan) {
  TracesAndGroups set = made_layers(2);
  TraceBuilder b(1);
  b.compute("c", 1000, {1});
  b.compute("d", 1000, {0});
  set.traces[1] = b.finish();
  const Fidelity f = compared(set, set);
  EXPECT_EQ(f.set.span_a_ps, std::nullopt);
  EXPECT_EQ(f.ranks[0].figures.span_change(), 0);
  EXPECT_EQ(f.ranks[1].figures.span_a_ps, std::nullopt);
  EXPECT_NE(all_notes(f).find("rank 1 of A never ends as recorded: 2 nodes wait forever\n"), std::string::npos)
      << all_notes(f);
}

TEST(CompareSets, ASingleRankIsNotSimulated) {
  const TracesAndGroups one = made_layers(1);
  const Fidelity f = compared(one, one);
  EXPECT_TRUE(f.same());
  EXPECT_EQ(all_notes(f),
            "A is not simulated: a network requires at least two NPUs\n"
            "B is not simulated: a network requires at least two NPUs\n");
  TracesAndGroups some = made_layers(3);
  some.traces.pop_back();  // the metadata still states 3
  EXPECT_EQ(
      all_notes(compared(some, some)),
      "A is not simulated: 2 of its 3 ranks are available\nB is not simulated: 2 of its 3 ranks are available\n");
}

TEST(CompareSets, NetworksMayBeNamed) {
  const TracesAndGroups set = made_layers(4);
  const Fidelity f = compared(set, set, {.networks = {"ring:4,bw=10GB/s", "switch:8,bw=10GB/s"}});
  ASSERT_EQ(f.simulated.size(), 2U);
  EXPECT_TRUE(f.simulated[0].a.complete());
  EXPECT_FALSE(f.simulated[1].a.complete());
  EXPECT_NE(all_notes(f).find("A does not run on switch:8,bw=10GB/s: "), std::string::npos) << all_notes(f);
}

TEST(CompareSets, GroupsAreReplayed) {
  TracesAndGroups set;
  for (Rank rank = 0; rank < 4; ++rank) {
    TraceBuilder b(rank);
    b.collective(Collective::all_reduce, 1 << 20, {}, std::nullopt, rank < 2 ? "1" : "2");
    set.traces.push_back(b.finish());
  }
  set.groups_json = R"({"1":[0,1],"2":[2,3]})";
  const Fidelity f = compared(set, set, {.networks = {"switch:4,bw=100GB/s"}});
  EXPECT_TRUE(f.same());
  EXPECT_TRUE(f.simulated[0].a.complete()) << all_notes(f);
  EXPECT_EQ(f.traffic[0].a_bytes, 4LL << 20);
}

}  // namespace
}  // namespace convert
