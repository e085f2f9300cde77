// SPDX-License-Identifier: MIT
// Training steps of dense models by published plans, with a network level for each kind of parallelism: as many
// NPUs are simulated as there are pipeline stages.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/scratch.h"
#include "config/workload/workload.h"
#include "formats/master/master.h"
#include "generate/workload/workload.h"
#include "sanitized.h"
#include "scenario/scenario.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {
namespace {

struct DensePlan {
  std::string name;
  std::string model;
  std::map<std::string, std::string> settings;
  std::vector<std::int64_t> levels;  // NPUs per level, beginning with tensor parallelism
  std::size_t stages = 1;
  std::int64_t micro_batches = 1;  // number to run; the plan has `run.micro_batches`
};

using PlanSettings = std::map<std::string, std::string>;

PlanSettings llama3_405b(const std::string& data, const std::string& micro_batches) {
  return {{"plan.tensor", "8"},     {"plan.sequence_parallel", "true"},
          {"plan.pipeline", "16"},  {"plan.data", data},
          {"plan.shard", "zero1"},  {"plan.buckets", "megatron"},
          {"run.sequence", "8192"}, {"plan.layers", "[7,8,8,8,8,8,8,8,8,8,8,8,8,8,8,7]"},
          {"plan.order", "1f1b"},   {"run.micro_batches", micro_batches}};
}

std::vector<DensePlan> dense_plans() {
  PlanSettings with_context = llama3_405b("8", "16");
  with_context.insert({{"plan.context", "16"}, {"plan.context_by", "gather"}});
  with_context["run.sequence"] = "131072";
  PlanSettings sharded = {{"plan.data", "8"}, {"plan.shard", "zero3"}, {"plan.buckets", "pytorch"}};
  PlanSettings replicated = sharded;
  replicated["plan.shard"] = "ddp";
  for (PlanSettings* s : {&sharded, &replicated}) s->insert({{"run.sequence", "8192"}, {"run.gradients", "bf16"}});
  return {
      {"gpt3-175b on 1536",
       "gpt3-175b",
       {{"plan.tensor", "8"},
        {"plan.sequence_parallel", "false"},
        {"plan.pipeline", "12"},
        {"plan.data", "16"},
        {"plan.shard", "ddp"},
        {"plan.buckets", "megatron"},
        {"plan.order", "1f1b"},
        {"plan.recompute", "full"},
        {"run.flops", "model"},
        {"run.micro_batches", "96"}},
       {8, 16, 12},
       12,
       2},
      {"gpt3-175b on 64",
       "gpt3-175b",
       {{"plan.tensor", "8"},
        {"plan.sequence_parallel", "true"},
        {"plan.pipeline", "8"},
        {"plan.data", "1"},
        {"plan.shard", "ddp"},
        {"plan.buckets", "megatron"},
        {"plan.order", "interleaved"},
        {"plan.chunks", "3"},
        {"plan.recompute", "selective"},
        {"run.micro_batches", "64"}},
       {8, 8},
       8,
       8},
      {"gpt3-175b on 1024",
       "gpt3-175b",
       {{"plan.tensor", "1"},
        {"plan.pipeline", "1"},
        {"plan.data", "1024"},
        {"plan.shard", "zero3"},
        {"plan.buckets", "pytorch"},
        {"plan.recompute", "full"},
        {"run.gradients", "bf16"}},
       {1024}},
      {"llama3-8b on 8, replicated", "llama3-8b", replicated, {8}},
      {"llama3-8b on 8, sharded", "llama3-8b", sharded, {8}},
      {"llama3-8b on 1024",
       "llama3-8b",
       {{"plan.tensor", "2"},
        {"plan.sequence_parallel", "true"},
        {"plan.data", "512"},
        {"plan.shard", "zero1"},
        {"plan.buckets", "megatron"},
        {"run.sequence", "8192"}},
       {2, 512}},
      {"llama3-70b on 512",
       "llama3-70b",
       {{"plan.tensor", "8"},
        {"plan.sequence_parallel", "true"},
        {"plan.pipeline", "4"},
        {"plan.data", "16"},
        {"plan.shard", "zero1"},
        {"plan.buckets", "megatron"},
        {"plan.order", "interleaved"},
        {"plan.chunks", "5"},
        {"run.sequence", "8192"},
        {"run.micro_batches", "16"}},
       {8, 16, 4},
       4,
       4},
      {"llama3-405b on 8192", "llama3-405b", llama3_405b("64", "32"), {8, 64, 16}, 16, 2},
      {"llama3-405b on 16384", "llama3-405b", llama3_405b("128", "16"), {8, 128, 16}, 16, 2},
      {"llama3-405b on 16384, long", "llama3-405b", with_context, {8, 16, 8, 16}, 16, 2},
  };
}

// Returns the class-compressed set of training a model by the plan, with `micro_batches` micro-batches.
std::string master_of(const DensePlan& plan, std::int64_t micro_batches) {
  Workload w = preset_workload(plan.model, 0);
  w.plan = {};
  for (const auto& [key, value] : plan.settings) set_workload(w, {key, value});
  if (micro_batches != 0) w.step.micro_batches = micro_batches;
  std::string bytes;
  const auto out = memory_output(bytes);
  write_master(WorkloadSet(w).master(), *out);
  out->close();
  return bytes;
}

std::string network_of(const DensePlan& plan) {
  const std::vector<std::string> wires = {"bw=450GB/s,lat=300ns", "bw=50GB/s,lat=2us", "bw=50GB/s,lat=3us",
                                          "bw=40GB/s,lat=4us"};
  std::string text;
  for (std::size_t i = 0; i < plan.levels.size(); ++i)
    text += (i == 0 ? "switch:" : "+switch:") + std::to_string(plan.levels[i]) + "," + wires[i];
  return text;
}

ReplayProgram load_plan(const std::string& file, const DensePlan& plan, NetworkModel model, bool astra) {
  RunSettings settings{.workload = file, .network = network_of(plan)};
  settings.model = model;
  settings.astra = astra;
  Scenario scenario = make_scenario(settings);
  Diagnostics diagnostics;
  TraceSource traces({.operands = {file}, .hash = false}, diagnostics);
  EXPECT_TRUE(prepare(traces, true, file));
  add_groups(scenario, traces.groups());
  LoadedReplay loaded = load_replay(traces, scenario, 1, diagnostics);
  return std::move(loaded.program).value();
}

// ASTRA-sim runs a collective of context and data parallelism as one ring over both. From the last member of the
// context dimension a message crosses both levels, from the others one. Without a model of links it only pays for
// the lower level.
std::size_t classes_of(const DensePlan& plan, bool astra, NetworkModel model) {
  const bool differ = astra && plan.settings.contains("plan.context") && model != NetworkModel::unaware;
  return differ ? 16 * plan.stages : plan.stages;
}

TEST(DensePlans, OneNpuOfEachStageIsSimulated) {
  const test::Scratch scratch;
  for (const DensePlan& plan : dense_plans()) {
    if (test::sanitized && plan.stages > 4) continue;
    SCOPED_TRACE(plan.name);
    const std::string file = scratch.write("whole.etm", master_of(plan, 0));
    const std::string few = scratch.write("few.etm", master_of(plan, plan.micro_batches));
    for (const bool astra : {false, true}) {
      SCOPED_TRACE(astra ? "astra" : "none");
      ReplayProgram program = load_plan(file, plan, NetworkModel::unaware, astra);
      // With few NPUs, each is simulated if its shards of the gradient norm differ, for exact times.
      const bool exact = !astra && program.ranks.size() <= program.options.exact_up_to;
      EXPECT_EQ(find_symmetry(program, true).found.has_value(), !exact);
      program.options.exact_up_to = 0;
      const Search search = find_symmetry(program, true);
      ASSERT_TRUE(search.found) << search.why;
      EXPECT_EQ(search.found->ranks.classes(), plan.stages) << search.why;
      for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
        SCOPED_TRACE(name(model));
        ReplayProgram run = load_plan(few, plan, model, astra);
        run.options.exact_up_to = 0;
        if (const std::size_t classes = classes_of(plan, astra, model); classes > plan.stages) {
          const Search of_model = find_symmetry(run, true);
          ASSERT_TRUE(of_model.found) << of_model.why;
          EXPECT_EQ(of_model.found->ranks.classes(), classes) << of_model.why;
          continue;
        }
        const ReplayResult result = replay(run);
        EXPECT_EQ(result.status, ReplayStatus::complete);
        EXPECT_EQ(result.classes, plan.stages) << result.no_symmetry;
      }
    }
  }
}

}  // namespace
}  // namespace convert
