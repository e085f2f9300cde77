// SPDX-License-Identifier: MIT
// Fidelity of the sets that are sampled from a set's profile.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "config/groups.h"
#include "config/workload/preset.h"
#include "generate/generate.h"
#include "generate/workload/workload.h"
#include "profile/draw/synthesis.h"
#include "sanitized.h"
#include "scenario/fidelity/compare_sets.h"
#include "sets/check.h"
#include "sets/profiled/grown_synthesis.h"
#include "sets/profiled/learning.h"
#include "split_sets.h"

namespace convert::profiled_fidelity {
namespace {

using namespace test;

constexpr Noise noise = {.rank = 0.02, .node = 0.08, .seed = 3};

TracesAndGroups layers(Rank ranks, std::uint64_t seed) {
  GenerateRequest request{.kind = "layers", .ranks = ranks};
  request.layers = 24;
  request.iterations = 6;
  request.comm = {parse_generated_collective("all_reduce:64MiB")};
  request.noise = {.layer = 0.3, .rank = 0.03, .node = 0.08, .seed = seed};
  const auto make = trace_generator(request);
  TracesAndGroups out;
  for (Rank r = 0; r < ranks; ++r) out.traces.push_back(make(r));
  return out;
}

TracesAndGroups preset(const char* name, const std::vector<WorkloadSetting>& settings) {
  Workload w = preset_workload(name, 0);
  for (const WorkloadSetting& s : {WorkloadSetting{"model.layers", "4"},
                                   {"run.iterations", "3"},
                                   {"time.peak", "300TFLOPS"},
                                   {"time.memory", "2TB/s"}})
    set_workload(w, s);
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  const WorkloadSet set(w);
  TracesAndGroups out{.groups_json = groups_text(set.groups())};
  for (Rank r = 0; r < set.ranks(); ++r) out.traces.push_back(set.trace(r, noise));
  return out;
}

TracesAndGroups dense(const char* data = "4") {
  return preset("llama3-8b", {{"plan.tensor", "2"}, {"plan.pipeline", "2"}, {"plan.data", data}});
}

WorkloadProfile learn(const TracesAndGroups& set, std::uint32_t k) {
  HeldSet held(set.traces, set.groups_json);
  SetSource* const one = &held;
  Diagnostics diagnostics;
  WorkloadProfile profile = learn_profile({&one, 1}, {.k = k}, diagnostics).profile;
  EXPECT_TRUE(diagnostics.all().empty());
  return profile;
}

TracesAndGroups draw(const WorkloadProfile& profile, const SynthesisOptions& options) {
  const Synthesis synthesis(profile, options);
  TracesAndGroups out{.groups_json = synthesis.groups()};
  for (std::size_t r = 0; r < synthesis.ranks(); ++r) out.traces.push_back(synthesis.draw(r));
  return out;
}

// Returns the first warning or error; empty: the set is valid.
std::string finding(const TracesAndGroups& set) {
  HeldSet held(set.traces, set.groups_json);
  Diagnostics diagnostics;
  check(held, {}, diagnostics);
  return diagnostics.all().empty() ? std::string() : format_diagnostic(diagnostics.all().front());
}

void expect_faithful(const TracesAndGroups& recorded, const TracesAndGroups& drawn) {
  EXPECT_EQ(finding(drawn), "");
  Diagnostics diagnostics;
  const Fidelity f = compare_sets(recorded, drawn, {}, diagnostics);
  constexpr double recorded_span = 0.02, simulated_span = 0.03, exposed = 0.2, durations = 0.05, degree = 0.02,
                   classes = 0.02;
  EXPECT_NEAR(f.set.span_change().value_or(1), 0, recorded_span);
  EXPECT_LE(f.set.classes.total_variation, classes);
  EXPECT_LE(f.set.in_degree, degree);
  for (const FeatureFidelity::Durations& d : f.set.durations) {
    if (d.type == NodeType::comp) {
      EXPECT_LE(d.distance, durations) << d.lane;
    }
  }
  EXPECT_EQ(f.simulated.size(), 8U);
  for (const RunFidelity& run : f.simulated) {
    EXPECT_NEAR(run.span_change().value_or(1), 0, simulated_span) << run.network;
    EXPECT_NEAR(run.exposed_change().value_or(1), 0, exposed) << run.network;
  }
}

// An iteration of a set that is ten times as long takes the same time.
void expect_as_long(const TracesAndGroups& recorded, const TracesAndGroups& drawn) {
  Diagnostics diagnostics;
  const std::string network = "switch:" + std::to_string(recorded.traces.size()) + ",bw=100GB/s,lat=500ns";
  const Fidelity f = compare_sets(recorded, drawn, {.networks = {network}}, diagnostics);
  EXPECT_NEAR((1 + f.set.span_change().value_or(1)) / 10, 1, 0.03);
  ASSERT_EQ(f.simulated.size(), 1U);
  EXPECT_NEAR((1 + f.simulated.front().span_change().value_or(1)) / 10, 1, 0.03);
}

void expect_faithful_sets(const TracesAndGroups& recorded) {
  ASSERT_EQ(finding(recorded), "");
  for (const std::uint32_t k : {2U, 5U}) {
    const WorkloadProfile profile = learn(recorded, k);
    for (std::uint64_t seed = 1; seed <= (sanitized ? 1U : 4U); ++seed) {
      SCOPED_TRACE("k " + std::to_string(k) + ", seed " + std::to_string(seed));
      expect_faithful(recorded, draw(profile, {.seed = seed}));
    }
    const std::uint64_t iterations = 10 * Synthesis(profile, {}).iterations();
    if (!sanitized) expect_as_long(recorded, draw(profile, {.seed = 1, .iterations = iterations}));
  }
}

TEST(ProfiledFidelity, LayersWithNoise) { expect_faithful_sets(layers(8, 1)); }
TEST(ProfiledFidelity, LayersWithOtherNoise) { expect_faithful_sets(layers(8, 2)); }
TEST(ProfiledFidelity, ADenseModel) { expect_faithful_sets(dense()); }
TEST(ProfiledFidelity, AModelOfExperts) {
  expect_faithful_sets(preset("mixtral-8x7b", {{"plan.pipeline", "2"}, {"plan.data", "8"}, {"plan.expert", "4"}}));
}

// Independent calls of tensor- and expert-parallel groups keep their recorded order.
TEST(ProfiledFidelity, APipelineOfExpertsDoesNotDeadlock) {
  const TracesAndGroups recorded = preset("mixtral-8x7b", {{"model.layers", "8"},
                                                           {"plan.tensor", "2"},
                                                           {"plan.sequence_parallel", "true"},
                                                           {"plan.pipeline", "2"},
                                                           {"plan.data", "4"},
                                                           {"plan.expert", "2"}});
  ASSERT_EQ(finding(recorded), "");
  for (const std::uint32_t k : {2U, 3U, 5U}) {
    EXPECT_EQ(finding(draw(learn(recorded, k), {.seed = 1})), "") << k;
  }
}

// Experts have uneven loads. A rank's tokens, its time for them and its results vary together, so that others wait
// as long as before.
TEST(ProfiledFidelity, AModelOfUnevenExperts) {
  const TracesAndGroups recorded =
      preset("mixtral-8x7b",
             {{"plan.pipeline", "2"}, {"plan.data", "8"}, {"plan.expert", "4"}, {"run.imbalance.zipf", "1"}});
  const WorkloadProfile profile = learn(recorded, 2);
  for (std::uint64_t seed = 1; seed <= (sanitized ? 1U : 4U); ++seed) {
    const TracesAndGroups drawn = draw(profile, {.seed = seed});
    EXPECT_EQ(finding(drawn), "");
    Diagnostics diagnostics;
    const Fidelity f = compare_sets(recorded, drawn, {}, diagnostics);
    for (const RunFidelity& run : f.simulated) {
      EXPECT_NEAR(run.span_change().value_or(1), 0, 0.06) << run.network;
      EXPECT_NEAR(run.exposed_change().value_or(1), 0, 0.12) << run.network;
    }
  }
}

// A grown set is similar to a set with the same number of ranks from the beginning.
TEST(ProfiledFidelity, MoreRanks) {
  const WorkloadProfile profile = learn(dense(), 2);
  const Synthesis synthesis(profile, {});
  const GrownSynthesis grown(synthesis, scale_options("dp=16"), "x");
  ASSERT_EQ(grown.ranks(), 64U);
  TracesAndGroups drawn{.groups_json = grown.groups()};
  for (Rank r = 0; r < grown.ranks(); ++r) drawn.traces.push_back(grown.draw(r));
  expect_faithful(dense("16"), drawn);
}

// Times of the ranks of a grown set vary as much as in the recorded one, and no rank is a copy of another.
TEST(ProfiledFidelity, MoreRanksAreAsDifferentAsTheRecordedOnes) {
  const WorkloadProfile profile = learn(layers(8, 1), 2);
  const Synthesis synthesis(profile, {});
  const GrownSynthesis grown(synthesis, scale_options("0=128"), "x");
  std::vector<double> logs;
  double mean = 0;
  for (Rank r = 0; r < grown.ranks(); ++r) {
    double work = 0;
    const Trace trace = grown.draw(r);
    for (const Node& n : trace.nodes.nodes) work += static_cast<double>(n.duration_us);
    mean += logs.emplace_back(std::log(work)) / grown.ranks();
  }
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  EXPECT_NEAR(std::sqrt(squares / (grown.ranks() - 1)), 0.03, 0.012);
  EXPECT_GT(std::set<double>(logs.begin(), logs.end()).size(), 100U);
}

TEST(ProfiledFidelity, WhatCannotGrow) {
  const WorkloadProfile profile = learn(dense(), 2), of_layers = learn(layers(4, 1), 2);
  const auto message = [](const WorkloadProfile& p, const char* scale) {
    const Synthesis synthesis(p, {});
    try {
      (void)GrownSynthesis(synthesis, scale_options(scale), "x.json");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(profile, "dp=6"), "--scale dp=6: a multiple of the 4 data-parallel ranks is required");
  EXPECT_EQ(message(of_layers, "dp=8"),
            "--scale dp: the profile does not state which ranks are data-parallel; use the id of such a group, or "
            "0 if all ranks are: --scale 0=8");
  EXPECT_EQ(message(of_layers, "7=8"), "--scale: there is no group 7; x.json has 0 (all ranks)");
  EXPECT_EQ(message(of_layers, "0=8"), "");
}

}  // namespace
}  // namespace convert::profiled_fidelity
