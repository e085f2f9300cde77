// SPDX-License-Identifier: MIT
// Synthetic sets from profiles of recordings, and their fidelity.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/held_set.h"
#include "corpus.h"
#include "profile/draw/synthesis.h"
#include "scenario/fidelity/compare_sets.h"
#include "sets/derived/relaxing.h"
#include "sets/profiled/learning.h"
#include "sets/source.h"

namespace convert {
namespace {

// Links the ranks of a recorded set, and removes order that makes them wait for each other in a cycle.
TracesAndGroups recorded(const std::string& name, Rank ranks) {
  const std::filesystem::path folder = corpus::root() / "pytorch" / "inputs" / name;
  SourceOptions options{.operands = {}, .any_ranks = true, .hash = false};
  for (Rank r = 0; r < ranks; ++r) {
    options.operands.push_back(folder / ("host_" + std::to_string(r) + ".json.gz"));
    options.linked.push_back({.rank = r, .device = folder / ("kineto_" + std::to_string(r) + ".json.gz")});
  }
  Diagnostics diagnostics;
  TraceSource source(std::move(options), diagnostics);
  TracesAndGroups set{.traces = source.load(2)};
  if (const auto groups = source.groups()) set.groups_json = groups->json;
  if (ranks == 1) return set;
  test::HeldSet held(set.traces, set.groups_json);
  const Relaxation relaxation = find_relaxation(held, 1);
  RelaxedSource relaxed(held, relaxation.cuts);
  set.traces = relaxed.load(1);
  return set;
}

// With k = 5, most of a job of three iterations is hidden, but it takes about as long.
void expect_faithful(const TracesAndGroups& set, std::uint32_t k, double most_span) {
  test::HeldSet held(set.traces, set.groups_json);
  SetSource* const one = &held;
  Diagnostics diagnostics;
  const LearnedProfile learned = learn_profile({&one, 1}, {.k = k, .jobs = 2}, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("k " + std::to_string(k) + ", seed " + std::to_string(seed));
    const Synthesis synthesis(learned.profile, {.seed = seed});
    TracesAndGroups drawn{.groups_json = synthesis.groups()};
    for (std::size_t r = 0; r < synthesis.ranks(); ++r) drawn.traces.push_back(synthesis.draw(r));
    const Fidelity f = compare_sets(set, drawn, {.simulate = false, .jobs = 2}, diagnostics);
    constexpr double most_classes = 0.02, most_degree = 0.02, most_durations = 0.05;
    constexpr std::uint64_t many = 100;  // nodes; with fewer, a distance is not meaningful
    EXPECT_NEAR(f.set.span_change().value_or(1), 0, most_span);
    EXPECT_LE(f.set.classes.total_variation, most_classes);
    EXPECT_LE(f.set.in_degree, most_degree);
    if (k > 2) continue;
    for (const FeatureFidelity::Durations& d : f.set.durations) {
      if (d.type != NodeType::comp || d.a < many) continue;
      EXPECT_LE(d.distance, most_durations) << d.lane;
    }
  }
}

TEST(ProfileCorpus, ARecordedRankOfATraining) {
  REQUIRE_CORPUS();
  const TracesAndGroups set = recorded("derived_nccl2rank", 1);
  expect_faithful(set, 2, 0.02);
  expect_faithful(set, 5, 0.02);
}

TEST(ProfileCorpus, FourRanksThatCallAndSend) {
  REQUIRE_CORPUS();
  const TracesAndGroups set = recorded("syn_4rank", 4);
  expect_faithful(set, 2, 0.02);
  // No stage of its pipeline does anything five times.
  expect_faithful(set, 5, 0.05);
}

}  // namespace
}  // namespace convert
