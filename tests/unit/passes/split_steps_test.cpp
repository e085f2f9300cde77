// SPDX-License-Identifier: MIT
// Steps that receive and do more, split into single steps.
#include "passes/lower/split_steps.h"

#include <gtest/gtest.h>

#include "collectives/collective.h"
#include "core/algorithm/runtime_limits.h"
#include "passes/lower/fit_runtime.h"
#include "passes/verify/verify.h"
#include "unit/passes/algorithms.h"

namespace convert::test {
namespace {

using enum StepType;

std::size_t limits_of(const Algorithm& a, const RuntimeLimits* target) {
  Diagnostics findings;
  check_structure(a, findings, target);
  return findings.errors();
}

std::size_t errors_of(const Algorithm& a) {
  Diagnostics findings;
  verify(make_step_graph(a), {.dataflow = true, .collective = {}, .soft = Severity::error}, findings);
  return findings.errors();
}

std::string steps_text(const Algorithm& a) {
  std::string text;
  for (const Step& s : a.steps) {
    text += std::string(name(s.type)) + " " + letter(s.src_buf) + std::to_string(s.src_off) + " " +
            letter(s.dst_buf) + std::to_string(s.dst_off) + " " + std::to_string(s.depid) + "." +
            std::to_string(s.deps) + (s.hasdep ? " published\n" : "\n");
  }
  return text;
}

TEST(SplitSteps, EachFusedStepHasItsParts) {
  const std::vector<std::vector<Tb>> gpus{{Tb{-1, -1, 0, {{cpy, in, 0, out, 1, 1, -1, -1, true}}},
                                           Tb{1,
                                              1,
                                              0,
                                              {{rcs, in, 0, out, 2, 1, 0, 0, true},
                                               {rrs, in, 1, out, 0},
                                               {rrc, in, 2, in, 2, 1, -1, -1, true},
                                               {rrc, in, 3, out, 3},
                                               {rrcs, in, 4, in, 4}}},
                                           Tb{-1, -1, 0, {{cpy, in, 2, out, 0, 1, 1, 2}}}}};
  const Algorithm split = split_steps(make_algorithm(Collective::custom, 8, false, 8, 8, 2, gpus));
  EXPECT_EQ(steps_text(split),
            "cpy i0 o1 -1.-1 published\n"
            "r o2 o2 0.0\n"
            "s o2 o2 -1.-1 published\n"
            "r s2 s2 -1.-1\n"
            "re i1 s2 -1.-1\n"
            "s s2 s2 -1.-1\n"
            "r s2 s2 -1.-1\n"
            "re s2 i2 -1.-1 published\n"
            "r s2 s2 -1.-1\n"
            "re i3 s2 -1.-1\n"
            "cpy s2 o3 -1.-1\n"
            "r s2 s2 -1.-1\n"
            "re s2 i4 -1.-1\n"
            "s i4 i4 -1.-1\n"
            "cpy i2 o0 1.6\n");
  EXPECT_EQ(split.gpus[0].s_chunks, 3);
  EXPECT_EQ(split_count({.type = rrc, .src_off = 2, .dst_off = 2}), 3U);  // other buffers
  EXPECT_EQ(split_count({.type = send}), 1U);
}

TEST(SplitSteps, WhatIsComputedStaysTheSame) {
  for (const char* name : {"ring", "direct", "all_pairs", "halving_doubling", "recursive_doubling", "rabenseifner",
                           "binomial_tree", "double_binary_tree", "chain"}) {
    const Algorithm a =
        build_collective({.collective = Collective::all_reduce, .algorithm = name, .ranks = 8, .chunks = 2});
    ASSERT_EQ(errors_of(a), 0U) << name;
    EXPECT_GT(limits_of(a, &rccl_limits), 0U) << name;
    const RuntimeFit fit = fit_runtime(a, rccl_limits);
    ASSERT_TRUE(fit.algorithm.has_value()) << name << ": " << fit.exceeded;
    EXPECT_EQ(errors_of(*fit.algorithm), 0U) << name;
    EXPECT_EQ(limits_of(*fit.algorithm, &rccl_limits), 0U) << name;
  }
}

TEST(SplitSteps, RuntimesHaveTheirNames) {
  const Algorithm a = build_collective({.collective = Collective::reduce_scatter, .algorithm = "ring", .ranks = 4});
  EXPECT_EQ(fit_runtime(a, rccl_limits).algorithm->collective_text, "reducescatter");
  EXPECT_EQ(fit_runtime(a, msccl_limits).algorithm->collective_text, "reduce_scatter");
  Algorithm custom = a;
  custom.collective = Collective::custom;
  EXPECT_EQ(fit_runtime(custom, rccl_limits).exceeded, "RCCL has no collective custom");
}

TEST(Structure, NamesAreThoseOfTheRuntime) {
  Algorithm a = make_algorithm(Collective::reduce_scatter, 1, false, 1, 1, 0, {{}});
  EXPECT_EQ(limits_of(a, &msccl_limits), 0U);
  EXPECT_EQ(limits_of(a, &rccl_limits), 1U);
  a.collective_text = "reducescatter";
  EXPECT_EQ(limits_of(a, &msccl_limits), 1U);
  EXPECT_EQ(limits_of(a, &rccl_limits), 0U);
}

// <algo>, <gpu>, 16 threadblocks of 254 steps, and one of 12: 1 + 1 + 17 + 4076.
TEST(Structure, ElementsOfARuntime) {
  std::vector<std::vector<Tb>> gpus{{}};
  for (int t = 0; t < 17; ++t) {
    Tb& tb = gpus[0].emplace_back(Tb{-1, -1, 0, {}});
    for (int i = 0; i < (t < 16 ? 254 : 12); ++i) tb.rows.push_back({cpy, in, 0, out, 0});
  }
  const auto findings = [&] {
    return limits_of(make_algorithm(Collective::all_reduce, 1, false, 1, 1, 0, gpus), &msccl_limits);
  };
  EXPECT_EQ(findings(), 0U);
  gpus[0].back().rows.push_back({cpy, in, 0, out, 0});
  EXPECT_EQ(findings(), 1U);
}

}  // namespace
}  // namespace convert::test
