// SPDX-License-Identifier: MIT
#include "generate/workload/parameters.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

std::pair<std::int64_t, std::int64_t> parameters_of(const char* preset) {
  const Workload w = preset_workload(preset, 0);
  return {Parameters(w.model).total(), Parameters(w.model).active()};
}

// The published numbers: Narayanan et al. 2021, the Llama 3 and Mixtral model cards, the DeepSeek-V3 report.
TEST(WorkloadParameters, OfPresetsAreThePublishedOnes) {
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(parameters_of("gpt3-175b"), Pair(174'615'846'912, 174'615'846'912));
  EXPECT_EQ(parameters_of("transformer-165m"), Pair(164'485'632, 164'485'632));
  EXPECT_EQ(parameters_of("llama3-8b"), Pair(8'030'261'248, 8'030'261'248));
  EXPECT_EQ(parameters_of("llama3-70b"), Pair(70'553'706'496, 70'553'706'496));
  EXPECT_EQ(parameters_of("llama3-405b"), Pair(405'853'388'800, 405'853'388'800));
  EXPECT_EQ(parameters_of("mixtral-8x7b"), Pair(46'702'792'704, 12'879'925'248));
  EXPECT_EQ(parameters_of("mixtral-8x22b"), Pair(140'630'071'296, 39'161'468'928));
  EXPECT_EQ(parameters_of("deepseek-v3"), Pair(671'026'419'200, 37'552'297'472));
}

TEST(WorkloadParameters, OfRanksAddUpToTheModel) {
  const Workload w = preset_workload("mixtral-8x22b", 0);
  ParallelPlan whole;
  const LocalParameters local(w.model, whole);
  std::int64_t sum = 2 * local.embedding() + local.norm();
  for (std::int64_t l = 0; l < w.model.layers; ++l) sum += local.dense(l) + local.experts(l);
  EXPECT_EQ(sum, Parameters(w.model).total());
}

TEST(WorkloadParameters, TensorParallelismDividesMatricesAndBiasesOfColumnsOnly) {
  const Workload w = preset_workload("gpt3-175b", 0);
  const std::int64_t h = w.model.hidden, f = w.model.ffn;
  ParallelPlan plan;
  plan.tensor = 8;
  const LocalParameters local(w.model, plan);
  const std::int64_t norms = 4 * h, rows = 2 * h;
  EXPECT_EQ(local.dense(0), (3 * h * h + 3 * h) / 8 + h * h / 8 + (h * f + f) / 8 + f * h / 8 + norms + rows);
  EXPECT_EQ(local.whole(0), norms + rows);
}

}  // namespace
}  // namespace convert
