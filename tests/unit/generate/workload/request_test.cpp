// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "generate/workload/workload.h"
#include "small_workload.h"

namespace convert {
namespace {

// "t8 c1 d2 p4, chunks 5" for a request, or the reason for its rejection.
std::string plan_of(const WorkloadRequest& request) {
  try {
    const ParallelPlan p = checked_workload(request).plan;
    return "t" + std::to_string(p.tensor) + " d" + std::to_string(p.data) + " p" + std::to_string(p.pipeline) +
           (p.chunks > 1 ? " chunks " + std::to_string(p.chunks) : "") + (p.sequence_parallel ? " sp" : "") +
           (p.layers.empty() ? "" : " " + std::to_string(p.layers.size()) + " layers");
  } catch (const Error& e) {
    return std::string(e.kind() == Error::Kind::usage ? "" : "at " + std::to_string(e.where().line) + ": ") +
           e.what();
  }
}
std::string plan_of(const std::string& preset, std::int64_t npus, Settings settings = {}) {
  return plan_of({.preset = preset, .settings = std::move(settings), .npus = npus});
}
std::string plan_of_file(const char* text, std::int64_t npus, const Settings& settings = {}) {
  WorkloadRequest request = parse_workload_request("f.yml", text);
  request.settings.insert(request.settings.end(), settings.begin(), settings.end());
  request.npus = npus;
  return plan_of(request);
}

TEST(WorkloadRequest, OnlyTheDataParallelSizeFollowsFromTheNumberOfNpus) {
  EXPECT_EQ(plan_of("gpt3-175b", 0), "t8 d16 p12");
  EXPECT_EQ(plan_of("gpt3-175b", 1536 * 3), "t8 d48 p12");
  EXPECT_EQ(plan_of("gpt3-175b", 96), "t8 d1 p12");
  EXPECT_EQ(plan_of({.preset = "gpt3-175b", .plan = "korthikanti22", .npus = 128}), "t8 d2 p8 chunks 3 sp");
  EXPECT_EQ(plan_of({.preset = "gpt3-175b", .plan = "zero3", .npus = 100}), "t1 d100 p1");
  EXPECT_EQ(plan_of("llama3-8b", 4), "t1 d4 p1");
  EXPECT_EQ(plan_of("llama3-8b", 2048), "t1 d2048 p1");
  EXPECT_EQ(plan_of({.preset = "llama3-8b", .plan = "tp2", .npus = 2048}), "t2 d1024 p1 sp");
  EXPECT_EQ(plan_of("llama3-8b", 1025), "t1 d1025 p1");
  EXPECT_EQ(plan_of("mlp", 8), "t8 d1 p1");
  EXPECT_EQ(plan_of("mlp", 64, {{"plan.tensor", "8"}}), "t8 d8 p1");
  EXPECT_EQ(plan_of("mlp", 64, {{"plan.data", "4"}}), "t16 d4 p1");
}

TEST(WorkloadRequest, WhatGoesWithOtherSizesGivesWay) {
  EXPECT_EQ(plan_of("llama3-70b", 8, {{"plan.pipeline", "1"}}), "t8 d1 p1 sp");
  EXPECT_EQ(plan_of("llama3-70b", 8, {{"plan.pipeline", "8"}, {"plan.tensor", "1"}}), "t1 d1 p8 chunks 5");
  EXPECT_EQ(plan_of("llama3-70b", 0, {{"plan.order", "gpipe"}}), "t8 d16 p4 sp");
  EXPECT_EQ(plan_of("llama3-70b", 0, {{"plan.chunks", "1"}}), "t8 d16 p4 sp");
  EXPECT_EQ(plan_of("llama3-70b", 0, {{"plan.chunks", "4"}}), "t8 d16 p4 chunks 4 sp");
  EXPECT_EQ(plan_of("llama3-405b", 0, {{"plan.pipeline", "16"}}), "t8 d128 p16 sp 16 layers");
  EXPECT_EQ(plan_of("llama3-405b", 0, {{"model.layers", "32"}}), "t8 d128 p16 sp");
  EXPECT_EQ(plan_of("llama3-405b", 64, {{"plan.pipeline", "8"}}), "t8 d1 p8 sp");
  EXPECT_EQ(plan_of("deepseek-v3", 8, {{"plan.pipeline", "1"}, {"plan.expert", "8"}}), "t1 d8 p1");
  EXPECT_EQ(plan_of("llama3-8b", 4, {{"run.mode", "train"}}), "t1 d4 p1");
  EXPECT_EQ(plan_of("llama3-8b", 4, {{"run.mode", "decode"}}), "t1 d4 p1");
  EXPECT_EQ(plan_of("llama3-70b", 0, {{"plan.pipeline", "1"}, {"plan.chunks", "5"}}),
            "plan.order interleaved and plan.chunks of 2 or more require each other");
  EXPECT_EQ(plan_of("llama3-70b", 0, {{"plan.pipeline", "1"}, {"plan.chunks", "5"}, {"plan.order", "interleaved"}}),
            "plan.chunks 5 needs plan.pipeline of 2 or more");
}

TEST(WorkloadRequest, OtherNumbersSayWhatWouldFit) {
  const std::string end = " NPUs are possible; --set changes these";
  EXPECT_EQ(plan_of("mixtral-8x22b", 16),
            "--npus 16: with plan.tensor 4 and plan.expert 8 and plan.pipeline 4 only multiples of 32" + end);
  EXPECT_EQ(plan_of("deepseek-v3", 512),
            "--npus 512: with plan.expert 64 and plan.pipeline 16 only multiples of 1024" + end);
  EXPECT_EQ(plan_of("gpt3-175b", 12, {{"plan.tensor", "8"}}),
            "--npus 12: with plan.tensor 8 and plan.pipeline 12 only multiples of 96" + end);
  EXPECT_EQ(plan_of("mlp", 9, {{"plan.data", "2"}}), "--npus 9: with plan.data 2 only multiples of 2" + end);
  EXPECT_EQ(plan_of("llama3-70b", 8, {{"plan.data", "4"}}),
            "--npus 8: plan.tensor × context × data × pipeline is 128");
  EXPECT_EQ(
      plan_of("llama3-70b", 8, {{"plan.tensor", "1099511627776"}, {"plan.context", "1099511627776"}}),
      "--npus 8: with plan.tensor 1099511627776 and plan.context 1099511627776 and plan.pipeline 4 only multiples "
      "of 4611686018427387904" +
          end);
}

TEST(WorkloadRequest, FilesAreAskedAsPresetsAre) {
  EXPECT_EQ(plan_of_file("model: llama3-70b", 64), "t8 d2 p4 chunks 5 sp");
  EXPECT_EQ(plan_of_file("model: llama3-70b", 8, {{"plan.pipeline", "1"}}), "t8 d1 p1 sp");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nrun: {mode: prefill}", 8, {{"plan.tensor", "2"}}), "t2 d4 p1");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {tensor: 4}", 0), "t4 d1 p1");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {tensor: 4}", 64, {{"plan.pipeline", "2"}}), "t4 d8 p2");
  EXPECT_EQ(plan_of_file("model: {kind: mlp, widths: [8, 8]}", 4), "t4 d1 p1");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {data: 4}", 8),
            "--npus 8: plan.tensor × context × data × pipeline is 4");
}

TEST(WorkloadRequest, ContradictionsOfAFileHaveTheirPlace) {
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {data: 2,\n  tensor: 3}", 0),
            "at 3: model.heads 64 is not a multiple of plan.tensor 3");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {tensor: 3}", 0, {{"plan.tensor", "5"}}),
            "model.heads 64 is not a multiple of plan.tensor 5");
  EXPECT_EQ(plan_of_file("model: llama3-70b\nplan: {tensor: 3}", 0, {{"plan.data", "5"}}),
            "at 2: model.heads 64 is not a multiple of plan.tensor 3");
  EXPECT_EQ(plan_of_file("\nmodel: {layers: 2, hidden: 8, heads: 2}", 0), "at 2: model.vocab is not given");
  EXPECT_EQ(plan_of_file("\nmodel: llama3-9b", 7), "at 2: unknown model 'llama3-9b'; did you mean llama3-8b?");
  EXPECT_EQ(plan_of_file("model: {kind: dlrm, tables: [2], bottom: [2, 4], top: [1], dim: 4}", 5),
            "plan.data 5: 1 model.tables of model.dim 4 columns cannot be divided among this number of ranks; "
            "possible numbers: 4");
}

}  // namespace
}  // namespace convert
