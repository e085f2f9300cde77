// SPDX-License-Identifier: MIT
#include "generate/workload/models/mlp.h"

#include <gtest/gtest.h>

#include "generate/workload/models.h"
#include "generate/workload/workload.h"

namespace convert {
namespace {

// Layers of 8×16 and 16×32, 4 samples, with settings as in --set.
WorkloadSet two_layers(std::initializer_list<WorkloadSetting> settings = {}) {
  Workload w;
  w.name = "two";
  w.kind = ModelKind::mlp;
  w.mlp.widths = {8, 16, 32};
  w.step.micro_batch = 4;
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return WorkloadSet(w);
}

// "fc1 1024/448 | all_gather 32 tp after fc1": operations and bytes of computations, bytes of collectives.
std::string nodes_of(const WorkloadSet& set) {
  std::string out;
  const StageBody& b = set.body(0);
  for (const BodyNode& n : b.nodes) {
    out += (out.empty() ? "" : " | ") + std::string(b.names[n.name]) + " ";
    if (n.type == NodeType::comp) out += std::to_string(n.operations) + "/";
    out += std::to_string(n.size);
    if (n.type != NodeType::comp) out += " " + std::string(name(n.group));
    for (std::uint32_t d = 0; d < n.deps; ++d) out += " <" + std::to_string(b.deps[n.first_dep + d]);
  }
  return out;
}

TEST(Mlp, OnOneRankIsMatricesAlone) {
  EXPECT_EQ(
      nodes_of(two_layers()),
      "fc1 1024/448 | fc2 4096/1408 <0 | fc2_dgrad 4096/1408 <1 | fc2_wgrad 4096/1408 <1 | fc1_wgrad 1024/448 "
      "<2");
  EXPECT_EQ(two_layers().body(0).parameters, 8 * 16 + 16 * 32);
  EXPECT_TRUE(two_layers().groups().empty());
}

// Columns are divided: results are gathered, shares of 2·4·16/2 bytes, and gradients of inputs are reduced.
TEST(Mlp, TensorParallelismGathersResultsAndAddsGradientsOfInputs) {
  EXPECT_EQ(nodes_of(two_layers({{"plan.tensor", "2"}})),
            "fc1 512/256 | all_gather 64 tp <0 | fc2 2048/768 <1 | all_gather 128 tp <2 | fc2_dgrad 2048/768 <3 | "
            "all_reduce 128 tp <4 | fc2_wgrad 2048/768 <3 | fc1_wgrad 512/256 <5");
  EXPECT_EQ(two_layers({{"plan.tensor", "2"}}).body(0).parameters, (8 * 16 + 16 * 32) / 2);
}

TEST(Mlp, DataParallelismAddsGradientsOfWeightsOfTheLastMicroBatch) {
  EXPECT_EQ(
      nodes_of(two_layers({{"plan.data", "3"}, {"run.micro_batches", "2"}, {"run.gradients", "bf16"}})),
      "fc1 1024/448 | fc2 4096/1408 <0 | fc2_dgrad 4096/1408 <1 | fc2_wgrad 4096/1408 <1 | fc1_wgrad 1024/448 "
      "<2 | fc1 1024/448 | fc2 4096/1408 <5 | fc2_dgrad 4096/1408 <6 | fc2_wgrad 4096/1408 <6 | all_reduce "
      "1024 dpcp <8 | fc1_wgrad 1024/448 <7 | all_reduce 256 dpcp <10");
}

// A layer of the next step waits for its gradients from this one.
TEST(Mlp, StepsFollowEachOther) {
  EXPECT_EQ(
      nodes_of(two_layers({{"plan.data", "3"}, {"run.iterations", "2"}})),
      "fc1 1024/448 | fc2 4096/1408 <0 | fc2_dgrad 4096/1408 <1 | fc2_wgrad 4096/1408 <1 | all_reduce 2048 dpcp "
      "<3 | fc1_wgrad 1024/448 <2 | all_reduce 512 dpcp <5 | fc1 1024/448 <6 | fc2 4096/1408 <4 <7 | fc2_dgrad "
      "4096/1408 <8 | fc2_wgrad 4096/1408 <8 | all_reduce 2048 dpcp <10 | fc1_wgrad 1024/448 <9 | all_reduce "
      "512 dpcp <12");
}

// The members of one kind of groups are neighbours, connected by the first dimension of a network.
TEST(Mlp, InnerSaysWhoseRanksAreNeighbours) {
  const auto involved = [](const WorkloadSet& set, std::size_t node) {
    const Trace t = set.trace(4);
    const Attr* const dims = find(t.nodes.attributes(t.nodes.nodes.at(node)), attr::involved_dim);
    return dims == nullptr ? std::vector<std::int64_t>{}
                           : std::vector<std::int64_t>(t.nodes.list(*dims).begin(), t.nodes.list(*dims).end());
  };
  using Ranks = std::vector<std::uint32_t>;
  using Dims = std::vector<std::int64_t>;
  const WorkloadSet tensor = two_layers({{"plan.tensor", "2"}, {"plan.data", "3"}});
  EXPECT_EQ(tensor.groups().at(0).ranks, (Ranks{0, 1}));
  EXPECT_EQ(tensor.groups().at(3).ranks, (Ranks{0, 2, 4}));
  EXPECT_EQ(involved(tensor, 1), (Dims{1, 0}));  // all_gather
  EXPECT_EQ(involved(tensor, 7), (Dims{0, 1}));  // all_reduce of gradients
  const WorkloadSet data = two_layers({{"plan.tensor", "2"}, {"plan.data", "3"}, {"plan.inner", "data"}});
  EXPECT_EQ(data.groups().at(0).ranks, (Ranks{0, 3}));
  EXPECT_EQ(data.groups().at(3).ranks, (Ranks{0, 1, 2}));
  EXPECT_EQ(involved(data, 1), (Dims{0, 1}));
  EXPECT_EQ(involved(data, 7), (Dims{1, 0}));
  EXPECT_TRUE(involved(two_layers({{"plan.tensor", "8"}}), 1).empty()) << "all of the network";
}

// 6 square layers of 2,048 on 64 ranks: 17 matrices of 2·1024·2048·32 operations.
TEST(Mlp, PresetIsThatOfThePaper) {
  const WorkloadSet set(preset_workload("mlp", 64));
  const StageFigures f = set.figures(0);
  EXPECT_EQ(format_wide(f.operations), "2281701376");
  EXPECT_EQ(f.nodes, 28U);
  EXPECT_EQ(parameters_of(set.workload()), 6 * 2048 * 2048);
  EXPECT_EQ(set.group_count(), 1);
  EXPECT_EQ(WorkloadSet(preset_workload("mlp", 1)).group_count(), 0);
}

std::string mlp_failure(std::initializer_list<WorkloadSetting> settings) {
  try {
    const WorkloadSet set = two_layers(settings);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    return e.what();
  }
  return "";
}

TEST(Mlp, SettingsOfOtherKindsAndContradictionsAreErrors) {
  EXPECT_EQ(mlp_failure({{"model.hidden", "4"}}), "model.hidden is for models of kind transformer or vit, not mlp");
  EXPECT_EQ(mlp_failure({{"plan.pipeline", "2"}}), "plan.pipeline is for models of kind transformer, not mlp");
  EXPECT_EQ(mlp_failure({{"model.kind", "transformer"}}), "model.kind: transformer: the model is of kind mlp");
  EXPECT_EQ(mlp_failure({{"plan.tensor", "3"}}), "model.widths 16 is not a multiple of plan.tensor 3");
  EXPECT_EQ(mlp_failure({{"model.widths", "8"}}),
            "model.widths has 1 numbers; at least 2 are required: the input and one layer");
  EXPECT_EQ(mlp_failure({{"model.widths", "8;0"}}), "model.widths: 0: expected an integer of at least 1");
  EXPECT_EQ(mlp_failure({{"run.micro_batches", "1000000"}}),
            "run.micro_batches 1000000 × the 3 of model.widths is more than 524288");
  EXPECT_EQ(mlp_failure({{"model.widths", "8;1099511627776"}}),
            "the sizes of model are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(mlp_failure({{"run.micro_batch", "1099511627776"}}), "");
  EXPECT_EQ(mlp_failure({{"run.micro_batch", "1099511627776"}, {"model.widths", "65536;65536"}}),
            "the sizes of model and run are too large: numbers of bytes or operations would not fit into 63 bits");
}

}  // namespace
}  // namespace convert
