// SPDX-License-Identifier: MIT
#include "generate/workload/models/images.h"

#include <gtest/gtest.h>

#include <map>

#include "generate/workload/models.h"
#include "generate/workload/workload.h"

namespace convert {
namespace {

Workload images(const char* preset, std::initializer_list<WorkloadSetting> settings = {}) {
  Workload w = preset_workload(preset, 0);
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  return w;
}

std::vector<std::int64_t> reduced(const WorkloadSet& set) {
  std::vector<std::int64_t> bytes;
  for (const BodyNode& n : set.body(0).nodes) {
    if (n.type == NodeType::comm_coll) bytes.push_back(n.size);
  }
  return bytes;
}

// Operations and bytes of a node by its name.
std::pair<std::int64_t, std::int64_t> node(const WorkloadSet& set, std::string_view name) {
  for (const BodyNode& n : set.body(0).nodes) {
    if (set.body(0).names[n.name] == name) return {n.operations, n.size};
  }
  ADD_FAILURE() << name;
  return {};
}

// Names of a node's dependencies.
std::string after(const WorkloadSet& set, std::string_view name) {
  const StageBody& b = set.body(0);
  std::string out;
  for (const BodyNode& n : b.nodes) {
    if (b.names[n.name] != name) continue;
    for (std::uint32_t d = 0; d < n.deps; ++d)
      out += (d == 0 ? "" : " ") +
             std::string(b.names[b.nodes[static_cast<std::size_t>(b.deps[n.first_dep + d])].name]);
    break;
  }
  return out;
}

// The published numbers of torchvision's models.
TEST(Images, ParametersAreThePublishedOnes) {
  for (const auto& [preset, parameters] : std::map<const char*, std::int64_t>{{"resnet50", 25'557'032},
                                                                              {"vit-b-16", 86'567'656},
                                                                              {"vit-l-16", 304'326'632},
                                                                              {"vit-h-14", 632'045'800}}) {
    EXPECT_EQ(parameters_of(images(preset)), parameters) << preset;
    EXPECT_EQ(WorkloadSet(images(preset)).body(0).parameters, parameters) << preset;
  }
  EXPECT_EQ(parameters_of(images("resnet50", {{"model.blocks", "3;4;23;3"}})), 44'549'160) << "ResNet-101";
  EXPECT_EQ(parameters_of(images("resnet50", {{"model.blocks", "3;8;36;3"}})), 60'192'808) << "ResNet-152";
}

TEST(Images, MultiplicationsOfResNet50AreThePublishedOnes) {
  EXPECT_EQ(resnet_multiplications(images("resnet50").image), 4'089'184'256.0);
  const WorkloadSet set(images("resnet50", {{"run.micro_batch", "1"}}));
  std::int64_t operations = 0, layers = 0;
  for (const BodyNode& n : set.body(0).nodes) {
    if (!n.matrix) continue;
    if (set.body(0).names[n.name].find('_') != std::string_view::npos)
      break;  // the first node of the backward
              // pass
    operations += n.operations;
    ++layers;
  }
  EXPECT_EQ(operations, 2 * 4'089'184'256);
  EXPECT_EQ(layers, 54);
}

// The all-reduces of every step of a recorded training on two GPUs.
TEST(Images, BucketsOfResNet50AreThoseOfPyTorch) {
  using Bytes = std::vector<std::int64_t>;
  EXPECT_EQ(reduced(WorkloadSet(images("resnet50"))),
            (Bytes{8'196'000, 31'502'336, 26'255'360, 26'550'272, 9'724'160}));
  EXPECT_EQ(reduced(WorkloadSet(images("resnet50", {{"plan.buckets", "megatron"}}))), (Bytes{102'228'128}));
  EXPECT_EQ(reduced(WorkloadSet(images("resnet50", {{"plan.data", "1"}}))), Bytes{});
  EXPECT_EQ(reduced(WorkloadSet(images("resnet50", {{"run.micro_batches", "3"}}))).size(), 5U)
      << "after the last micro-batch only";
  EXPECT_EQ(reduced(WorkloadSet(images("resnet50", {{"run.iterations", "2"}}))).size(), 10U);
  EXPECT_EQ(after(WorkloadSet(images("resnet50")), "all_reduce"), "fc_wgrad");
}

// 3×3 of 128 channels on 28² pixels, from 56²: 2·32·9·128²·28² operations; 2 bytes for each element read, written,
// and each weight.
TEST(Images, ConvolutionsCountWhatTheyMultiplyAndMove) {
  const WorkloadSet set(images("resnet50"));
  const std::int64_t weights = 147'456;
  const std::pair expected(64 * weights * 784, 2 * (std::int64_t{4096} * 3920 + weights + 256));
  EXPECT_EQ(node(set, "layer2.0.conv2"), expected);
  EXPECT_EQ(node(set, "layer2.0.conv2_dgrad"), expected);
  EXPECT_EQ(node(set, "layer2.0.conv2_wgrad"), expected);
  EXPECT_EQ(node(set, "maxpool"),
            std::pair(std::int64_t{32} * 9 * 64 * 56 * 56, std::int64_t{2} * 32 * 64 * (112 * 112 + 56 * 56)));
}

TEST(Images, ShortcutsMeetWhereBlocksBeginAndEnd) {
  const WorkloadSet set(images("resnet50"));
  EXPECT_EQ(after(set, "layer2.0.conv3"), "layer2.0.downsample layer2.0.conv2");
  EXPECT_EQ(after(set, "layer2.1.conv3"), "layer2.0.conv3 layer2.1.conv2");
  EXPECT_EQ(after(set, "layer1.2.conv3_dgrad"), "layer2.0.downsample_dgrad layer2.0.conv1_dgrad");
  EXPECT_EQ(after(set, "layer2.0.conv3_wgrad"), "layer2.2.conv1_dgrad layer2.1.conv1_dgrad");
  EXPECT_EQ(after(set, "conv1_wgrad"), "maxpool_bwd");
}

// 197 tokens of 768; 12 layers: 24·T·h² + 4·T²·h operations each, for patches and classes their matrices.
TEST(Images, OperationsOfAVisionTransformer) {
  const WorkloadSet set(images("vit-b-16", {{"run.micro_batch", "1"}, {"run.flops", "model"}}));
  const std::int64_t t = 197, h = 768, layer = 24 * t * h * h + 4 * t * t * h;
  std::int64_t matrices = 0;
  for (const BodyNode& n : set.body(0).nodes) matrices += n.matrix ? n.operations : 0;
  // The input of the patches needs no gradient.
  EXPECT_EQ(matrices, 36 * layer + 4 * (t - 1) * h * h + 6000 * h);
  EXPECT_EQ(node(set, "layer3.attention_bwd").first, 8 * t * t * h);
  EXPECT_EQ(node(WorkloadSet(images("vit-b-16", {{"run.micro_batch", "1"}})), "layer3.attention_bwd").first,
            10 * t * t * h);
  EXPECT_EQ(after(set, "layer3.proj_dgrad"), "layer4.qkv_dgrad layer3.up_dgrad");
  EXPECT_EQ(after(set, "optimizer").substr(0, 21), "all_reduce all_reduce");
}

std::string refusal(const char* preset, std::initializer_list<WorkloadSetting> settings) {
  try {
    const WorkloadSet set(images(preset, settings));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    return e.what();
  }
  return "";
}

TEST(Images, ContradictionsNameBothKeys) {
  EXPECT_EQ(refusal("resnet50", {{"model.patch", "16"}}), "model.patch is for models of kind vit, not resnet");
  EXPECT_EQ(refusal("resnet50", {{"model.hidden", "16"}}),
            "model.hidden is for models of kind transformer or vit, not resnet");
  EXPECT_EQ(refusal("resnet50", {{"plan.tensor", "2"}}),
            "plan.tensor is for models of kind transformer or mlp, not resnet");
  EXPECT_EQ(refusal("resnet50", {{"model.blocks", ""}}),
            "model.blocks has 0 numbers; expected 1 to 12, such as 3,4,6,3");
  EXPECT_EQ(refusal("resnet50", {{"model.blocks", "1000000"}}),
            "run.micro_batches 1 × the sum of model.blocks is more than 524288");
  EXPECT_EQ(refusal("resnet50", {{"model.image", "1099511627776"}}),
            "the sizes of model and run are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(refusal("resnet50", {{"model.image", "1"}, {"model.classes", "1"}, {"model.blocks", "1"}}), "");
  EXPECT_EQ(refusal("vit-b-16", {{"model.patch", "15"}}), "model.image 224 is not a multiple of model.patch 15");
  EXPECT_EQ(refusal("vit-b-16", {{"model.heads", "5"}}), "model.hidden 768 is not a multiple of model.heads 5");
  EXPECT_EQ(refusal("vit-b-16", {{"model.image", "1099511627776"}, {"model.patch", "1"}}),
            "the sizes of model are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(refusal("vit-b-16", {{"run.micro_batch", "1099511627776"}}),
            "the sizes of model and run are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(refusal("vit-b-16", {{"run.iterations", "100000"}}),
            "run.micro_batches 1 × run.iterations 100000 × model.layers 12 is more than 524288");
}

}  // namespace
}  // namespace convert
