// SPDX-License-Identifier: MIT
// Training steps by random plans: with representatives for rank classes, or with rings simulated as a whole, all
// numbers equal a replay of every rank, message by message. If chunks that differ by one byte count as equal, they
// do so in both.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/replay_numbers.h"
#include "config/workload/workload.h"
#include "generate/workload/workload.h"
#include "sanitized.h"
#include "scenario/scenario.h"
#include "simulate/symmetry/group_shifts.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

class RandomPlan {
 public:
  explicit RandomPlan(std::uint64_t seed) : engine_(seed) {}

  std::int64_t of(const std::vector<std::int64_t>& all) { return all[engine_() % all.size()]; }
  bool once_in(std::uint64_t n) { return engine_() % n == 0; }

  // Returns nothing for more than 64 ranks.
  std::optional<Workload> workload() {
    const bool experts = once_in(2);
    const std::int64_t tensor = experts ? 1 : of({1, 2, 4});
    const std::int64_t expert = experts ? of({2, 4, 8}) : 1;
    const std::int64_t data = expert * of({1, 2, 3, 4, 5});
    const std::int64_t pipeline = of({1, 2, 4});
    const std::int64_t npus = tensor * data * pipeline;
    if (npus < 2 || npus > 64) return std::nullopt;
    Workload w = preset_workload(experts ? "mixtral-8x7b" : "llama3-8b", 64);
    const auto set = [&](const char* key, const std::string& value) { set_workload(w, {key, value}); };
    set("model.layers", "4");
    set("plan.tensor", std::to_string(tensor));
    set("plan.data", std::to_string(data));
    set("plan.pipeline", std::to_string(pipeline));
    set("plan.expert", std::to_string(expert));
    const auto shard = static_cast<std::size_t>(of({0, 1, 2, 3}));
    set("plan.shard",
        std::vector<std::string>{"ddp", "zero1", "zero2", "zero3"}[pipeline == 1 ? shard : shard % 2]);
    if (w.plan.shard >= Shard::zero2) set("plan.buckets", "pytorch");
    set("run.micro_batches", std::to_string(pipeline * of({1, 2})));
    w.step.sequence = 256;
    return w;
  }

  std::string network(std::int64_t npus) {
    const std::string n = std::to_string(npus);
    std::vector<std::string> all;
    for (const char* topology : {"switch:", "ring:", "fully_connected:", "mesh:"})
      all.push_back(topology + n + ",bw=50GB/s,lat=1us");
    for (std::int64_t first = 2; first < npus; ++first) {
      if (npus % first != 0) continue;
      for (const char* second : {"switch:", "ring:"})
        all.push_back("switch:" + std::to_string(first) + ",bw=100GB/s,lat=300ns+" + second +
                      std::to_string(npus / first) + ",bw=33GB/s,lat=2us");
    }
    return all[engine_() % all.size()];
  }
  // Returns one of few rates and latencies, so that many times coincide.
  std::string coarse_network(std::int64_t npus) {
    const std::string pace = ",bw=" + std::to_string(of({1, 2, 50})) + "GB/s,lat=";
    const auto dim = [&](std::int64_t n) {
      const std::string topology =
          std::vector<std::string>{"switch:", "switch:", "ring:", "fully_connected:"}[engine_() % 4];
      return topology + std::to_string(n) + pace + std::to_string(of({0, 0, 1000})) + "ns";
    };
    const std::int64_t first = of({1, 2, 4, 8});
    if (first == 1 || npus % first != 0 || npus == first) return dim(npus);
    const std::int64_t second = of({1, 2, 4});
    const std::int64_t rest = npus / first;
    if (second == 1 || rest % second != 0 || rest == second) return dim(first) + '+' + dim(rest);
    return dim(first) + '+' + dim(second) + '+' + dim(rest / second);
  }

 private:
  std::mt19937_64 engine_;
};

// Rounds chunks that differ by one byte to the larger size, as a replay of representatives may.
void round_parts(ReplayProgram& program) {
  program.options.exact_up_to = 0;
  for (CollectivePlan& plan : program.plans) plan.rounded = has_remainder(program, plan);
}

LoadedReplay load_plan(const WorkloadSet& set, RunSettings& settings,
                       std::optional<std::int64_t> endpoint_delay_ns = {}) {
  Scenario scenario = make_scenario(settings);
  auto system = std::make_shared<ReplaySystem>(*scenario.options.system);
  if (endpoint_delay_ns) {
    system->config.endpoint_delay_given = true;
    system->config.endpoint_delay_ns = *endpoint_delay_ns;
  }
  system->groups = set.groups();
  scenario.options.system = system;
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  Diagnostics diagnostics;
  return load_replay(traces, scenario, 1, diagnostics);
}

// Returns settings with or without ASTRA-sim's rules and one of the models; one of `straggling` has a straggler.
RunSettings settings_of(RandomPlan& random, const WorkloadSet& set, std::string network, std::uint64_t seed,
                        unsigned straggling) {
  RunSettings settings{.workload = "w", .network = std::move(network)};
  settings.astra = random.once_in(2);
  settings.model = std::vector{NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}[seed % 3];
  if (random.once_in(straggling)) settings.options.slow[static_cast<Rank>(seed % set.ranks())] = 1.5;
  return settings;
}

// Returns the results of `replay` with and without the symmetry.
std::pair<ReplayResult, ReplayResult> with_and_without(ReplayProgram& program) {
  program.options.symmetry = true;
  ReplayResult with = replay(program);
  with.error_bound_ps = 0;  // of the rounding
  program.options.symmetry = false;
  return {std::move(with), replay(program)};
}

TEST(SymmetryOfPlans, ChangesNothing) {
  std::map<std::string, unsigned> count;
  const unsigned plans = test::rounds(200U);
  for (std::uint64_t seed = 1; count["plans"] < plans; ++seed) {
    RandomPlan random(seed);
    const std::optional<Workload> workload = random.workload();
    if (!workload) continue;
    const WorkloadSet set(*workload);
    RunSettings settings = settings_of(random, set, random.network(set.ranks()), seed, 5);
    const bool built = !*settings.astra && random.once_in(3);
    if (built) settings.set("algorithm", "all_reduce=ring");
    SCOPED_TRACE("seed " + std::to_string(seed) + " on " + *settings.network);
    LoadedReplay loaded = load_plan(set, settings);
    ASSERT_TRUE(loaded.program);
    const bool rounded = !*settings.astra && random.once_in(2);
    if (rounded) round_parts(*loaded.program);
    const auto [result, every] = with_and_without(*loaded.program);
    loaded.program->options.whole_rings = false;
    const std::string by_message = test::replay_numbers(*loaded.program, replay(*loaded.program));
    EXPECT_TRUE(test::replay_numbers(*loaded.program, result) == by_message);
    EXPECT_TRUE(test::replay_numbers(*loaded.program, every) == by_message);
    const bool symmetric = result.equivalence != nullptr;
    count["symmetric"] += symmetric ? 1 : 0;
    count["symmetric with experts"] += symmetric && workload->plan.expert > 1 ? 1 : 0;
    count["symmetric with rounded parts"] += symmetric && rounded ? 1 : 0;
    count["with stragglers"] += loaded.program->options.slow.empty() ? 0 : 1;
    count["with built algorithms"] += built ? 1 : 0;
    ++count["plans"];
    if (testing::Test::HasFailure()) return;
  }
  for (const auto& [what, n] : count) std::cout << n << ' ' << what << '\n';
  EXPECT_GE(count["symmetric"], test::sanitized ? 1U : 30U);
  EXPECT_GE(count["symmetric with experts"], test::sanitized ? 0U : 8U);
}

// The same with many coinciding times: with closed phases, with each message of representatives, and with all
// ranks.
TEST(SymmetryOfPlans, ClosedPhasesChangeNothing) {
  std::map<std::string, unsigned> count;
  const unsigned plans = test::rounds(60U);
  for (std::uint64_t seed = 1; count["plans"] < plans; ++seed) {
    RandomPlan random(seed);
    const std::optional<Workload> workload = random.workload();
    if (!workload) continue;
    const WorkloadSet set(*workload);
    RunSettings settings = settings_of(random, set, random.coarse_network(set.ranks()), seed, 6);
    SCOPED_TRACE("seed " + std::to_string(seed) + " on " + *settings.network);
    LoadedReplay loaded = load_plan(set, settings, random.of({0, 1, 10, 1000}));
    ASSERT_TRUE(loaded.program);
    if (!*settings.astra && random.once_in(2)) round_parts(*loaded.program);
    const auto [closed, every] = with_and_without(*loaded.program);
    loaded.program->options.whole_rings = false;
    const std::string by_message = test::replay_numbers(*loaded.program, with_and_without(*loaded.program).first);
    EXPECT_TRUE(test::replay_numbers(*loaded.program, closed) == by_message);
    EXPECT_TRUE(test::replay_numbers(*loaded.program, every) == by_message);
    const bool symmetric = closed.equivalence != nullptr;
    count["symmetric"] += symmetric ? 1 : 0;
    count["with closed phases"] += symmetric && closed.closed_phases != 0 ? 1 : 0;
    count["with class rings"] += symmetric && closed.equivalence->has_class_rings() ? 1 : 0;
    ++count["plans"];
    if (testing::Test::HasFailure()) return;
  }
  for (const auto& [what, n] : count) std::cout << n << ' ' << what << '\n';
  EXPECT_GE(count["with closed phases"], test::sanitized ? 1U : 10U);
  EXPECT_GE(count["with class rings"], test::sanitized ? 0U : 1U);
}

// The members of an all-to-all across levels are not synchronised: messages arrive before their receives are
// posted, and are matched within the same picosecond.
TEST(SymmetryOfPlans, ExpertsWhoseMessagesComeEarly) {
  const WorkloadSet set(checked_workload({.preset = "deepseek-v3",
                                          .settings = {{"model.moe.experts", "16"},
                                                       {"model.layers", "8"},
                                                       {"plan.layers", "2,2,2,2"},
                                                       {"plan.expert", "8"},
                                                       {"plan.pipeline", "4"},
                                                       {"run.micro_batches", "4"}},
                                          .npus = 128}));
  for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
    for (const auto& [network, classes] :
         {std::pair{"switch:8,bw=450GB/s,lat=300ns+switch:16,bw=50GB/s,lat=2us", 4U},
          {"switch:4,bw=450GB/s,lat=300ns+switch:32,bw=50GB/s,lat=2us", 16U}}) {
      SCOPED_TRACE(std::string(name(model)) + " on " + network);
      RunSettings settings{.workload = "w", .network = network};
      settings.model = model;
      LoadedReplay loaded = load_plan(set, settings);
      ASSERT_TRUE(loaded.program);
      round_parts(*loaded.program);
      const auto [result, every] = with_and_without(*loaded.program);
      EXPECT_EQ(result.no_symmetry.find("the order"), std::string::npos) << result.no_symmetry;
      EXPECT_EQ(result.classes, classes);
      EXPECT_TRUE(test::replay_numbers(*loaded.program, result) == test::replay_numbers(*loaded.program, every));
    }
  }
}

}  // namespace
}  // namespace convert
