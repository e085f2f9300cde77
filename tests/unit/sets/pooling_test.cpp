// SPDX-License-Identifier: MIT
// Pools of sets of known kinds.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "generate/generate.h"
#include "generate/noise.h"
#include "generate/workload/workload.h"
#include "profile/draw/mixture.h"
#include "profile/draw/synthesis.h"
#include "profile/json/json.h"
#include "sets/check.h"
#include "sets/profiled/learning.h"
#include "sets/profiled/pool.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;
using Sets = std::vector<std::unique_ptr<HeldSet>>;
using Changes = std::vector<WorkloadSetting>;

// A model of a few layers whose times, some tens of milliseconds, differ randomly by `noise` on average; 0: it has
// no times.
std::unique_ptr<HeldSet> run_of(const Changes& changes, std::int64_t data, std::uint64_t seed, double noise) {
  Workload w;
  w.name = "small";
  w.model = {.layers = 4, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step.sequence = 16;
  for (const WorkloadSetting& s : changes) set_workload(w, s);
  if (noise > 0) set_workload(w, {"time.peak", "1GFLOPS"});
  w.plan.data = data;
  const WorkloadSet set(w);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r)
    traces.push_back(set.trace(r, {.rank = noise, .node = noise, .seed = seed}));
  return std::make_unique<HeldSet>(std::move(traces), groups_text(set.groups()));
}

const Changes experts = {{"model.moe.experts", "8"},
                         {"model.moe.per_token", "2"},
                         {"model.moe.ffn", "64"},
                         {"plan.expert", "4"},
                         {"plan.pipeline", "2"}};
const Changes two_stages = {{"plan.pipeline", "2"}}, four_stages = {{"plan.pipeline", "4"}};

LearnedPool learn(const Sets& sets, std::optional<std::size_t> clusters = std::nullopt) {
  std::vector<SetSource*> all;
  for (const auto& set : sets) all.push_back(set.get());
  Diagnostics diagnostics;
  LearnedPool pool =
      learn_pool(all, {.clusters = clusters, .k = [](std::size_t n) { return n > 1 ? 5U : 2U; }}, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(pool.profiles.size(), pool.clustering.medoids.size());
  for (std::size_t c = 0; c < pool.profiles.size(); ++c)
    EXPECT_EQ(pool.profiles[c].profile.jobs.size(), pool.clustering.members(c).size());
  return pool;
}

// Ten sets of each of two families, alternating, are separated without an error.
void expect_families(const std::function<std::unique_ptr<HeldSet>(bool, std::uint64_t)>& make) {
  Sets sets;
  std::vector<std::size_t> family;
  for (std::uint64_t i = 0; i < 20; ++i) {
    sets.push_back(make(i % 2 == 1, 1 + i));
    family.push_back(i % 2);
  }
  const LearnedPool pool = learn(sets);
  EXPECT_EQ(pool.clustering.of, family);
  EXPECT_EQ(pool.clustering.medoids.size(), 2U);
  for (const double s : pool.silhouettes) EXPECT_GT(s, 0.9);
}

constexpr std::array noises = {0.1, 0.3};

TEST(Pooling, DenseAndExpertParallelSets) {
  for (const double noise : noises) {
    for (const std::uint64_t first : {0U, 1000U}) {
      expect_families([&](bool second, std::uint64_t seed) {
        return second ? run_of(experts, 4, first + seed, noise) : run_of({}, 8, first + seed, noise);
      });
    }
  }
}

TEST(Pooling, SetsThatDifferInPipelineStages) {
  for (const double noise : noises) {
    for (const std::uint64_t first : {0U, 1000U}) {
      expect_families([&](bool second, std::uint64_t seed) {
        return second ? run_of(four_stages, 2, first + seed, noise) : run_of(two_stages, 4, first + seed, noise);
      });
    }
  }
}

// Times within one family differ, but are not significant.
TEST(Pooling, OneFamilyIsOneCluster) {
  for (const double noise : noises) {
    for (const Changes* changes : {&two_stages, &four_stages, &experts}) {
      Sets sets;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) sets.push_back(run_of(*changes, 4, seed, noise));
      EXPECT_EQ(learn(sets).clustering.medoids.size(), 1U) << noise;
    }
  }
  Sets layers;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    GenerateRequest request{
        .kind = "layers", .ranks = 4, .layers = 6, .iterations = 2 + static_cast<int>(seed) % 3};
    request.noise = {.layer = 0.3, .rank = 0.1, .node = 0.1, .seed = seed};
    std::vector<Trace> traces;
    for (Rank r = 0; r < 4; ++r) traces.push_back(trace_generator(request)(r));
    layers.push_back(std::make_unique<HeldSet>(std::move(traces)));
  }
  EXPECT_EQ(learn(layers).clustering.medoids.size(), 1U);  // the number of iterations is not significant either
}

// Missing times do not outweigh the actions of a set.
TEST(Pooling, ASetWithoutTimesIsWithItsLike) {
  Sets sets;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sets.push_back(run_of(experts, 4, seed, seed == 2 ? 0 : 0.1));
    sets.push_back(run_of({}, 8, seed, seed == 3 ? 0 : 0.1));
  }
  EXPECT_EQ(learn(sets).clustering.of, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1}));
}

TEST(Pooling, AsManyClustersAsAskedFor) {
  Sets sets;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sets.push_back(run_of({}, 4, seed, 0.1));
    sets.push_back(run_of(two_stages, 4, seed, 0.1));
  }
  EXPECT_EQ(learn(sets, 1).clustering.of, std::vector<std::size_t>(6, 0));
  EXPECT_EQ(learn(sets, 2).clustering.of, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1}));
  const LearnedPool all = learn(sets, 6);
  EXPECT_EQ(all.clustering.of, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  for (const LearnedProfile& p : all.profiles) EXPECT_EQ(p.profile.k, 2U);
  EXPECT_EQ(learn(sets, 1).profiles[0].profile.k, 5U);
}

// The profile of a cluster equals the profile of its sets, independent of the rest of the pool.
TEST(Pooling, ProfilesAreThoseOfTheSetsAlone) {
  Sets sets;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sets.push_back(run_of(two_stages, 2, seed, 0.1));
    sets.push_back(run_of(experts, 4, seed, 0.1));
  }
  sets.push_back(run_of({}, 2, 1, 0.1));
  const LearnedPool pool = learn(sets, 3);
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<SetSource*> members;
    for (const std::size_t i : pool.clustering.members(c)) members.push_back(sets[i].get());
    Diagnostics diagnostics;
    const LearnedProfile alone = learn_profile(members, {.k = members.size() > 1 ? 5U : 2U}, diagnostics);
    EXPECT_EQ(profile_json(pool.profiles[c].profile), profile_json(alone.profile)) << c;
  }
}

// A mixture contains sets of both kinds, with the same frequencies as the pool, all valid.
TEST(Pooling, MixturesAreLikeThePool) {
  Sets sets;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) sets.push_back(run_of(experts, 4, seed, 0.1));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) sets.push_back(run_of(two_stages, 2, seed, 0.1));
  std::string text;
  for (const LearnedProfile& p : learn(sets).profiles) text += profile_json(p.profile);
  const std::vector<WorkloadProfile> profiles = parse_profiles(text, "pool.json");
  ASSERT_EQ(profiles.size(), 2U);
  int with_experts = 0;
  constexpr int seeds = 300;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Synthesis synthesis(profiles[draw_profile(profiles, seed)], {.seed = seed});
    const bool has_experts = synthesis.ranks() == 8;
    with_experts += has_experts ? 1 : 0;
    if (seed >= 10) continue;
    std::vector<Trace> traces;
    for (std::size_t r = 0; r < synthesis.ranks(); ++r) traces.push_back(synthesis.draw(r));
    HeldSet drawn(std::move(traces), synthesis.groups());
    Diagnostics diagnostics;
    check(drawn, {}, diagnostics);
    EXPECT_EQ(diagnostics.errors(), 0U) << seed;
  }
  EXPECT_NEAR(with_experts, 100, 41);  // five standard deviations
}

}  // namespace
}  // namespace convert
