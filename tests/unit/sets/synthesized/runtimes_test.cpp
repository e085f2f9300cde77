// SPDX-License-Identifier: MIT
// Synthesized algorithms within the limits of runtimes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "passes/lower/fit_runtime.h"
#include "passes/verify/verify.h"
#include "sanitized.h"
#include "sets/synthesized/synthesized.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::runtime_cases {
namespace {

Algorithm make(const NetworkConfig& network, Collective collective, std::uint32_t pieces) {
  Diagnostics diagnostics;
  const SynthesisRequest request{.collective = collective, .bytes = std::int64_t{network.npus()} << 20U};
  const SynthesisProblem problem = make_problem(network, request, diagnostics);
  const SynthesisChoice choice{.effort = SynthesisEffort::fast, .pieces = pieces};
  return synthesize_algorithm(problem, choice, diagnostics).made.algorithm;
}

void expect_runs(const Algorithm& a, const RuntimeLimits& limits, const std::string& what) {
  Diagnostics findings;
  check_structure(a, findings, limits.adds_received ? nullptr : &limits);
  verify(make_step_graph(a), {.dataflow = true, .collective = {}, .soft = Severity::error}, findings);
  for (const Diagnostic& d : findings.all()) {
    // The order of the reductions of one chunk is reported for all reductions.
    EXPECT_TRUE(d.severity != Severity::error || d.rule == "races") << what << ": " << d.message;
  }
  for (const Gpu& gpu : a.gpus) {
    EXPECT_LE(gpu.tb_count, limits.threadblocks) << what;
    std::map<std::int32_t, std::uint32_t> senders;
    for (const Threadblock& tb : a.threadblocks(gpu)) {
      EXPECT_LE(tb.step_count, limits.steps) << what;
      EXPECT_LT(tb.chan, a.channels) << what;
      if (tb.send < 0) continue;
      EXPECT_LE(++senders[tb.chan], threadblocks_per_channel) << what;
    }
  }
}

TEST(FitRuntime, AnyAlgorithmRunsOnceItFits) {
  test::SynthesisDraw draw(9);
  int fitted = 0;
  for (int round = 0; round < test::rounds(16); ++round) {
    const NetworkConfig network = test::random_network(draw, 8, round % 2 == 0 ? 0 : 2);
    for (const Collective c : {Collective::all_gather, Collective::all_reduce}) {
      const Algorithm scheduled = make(network, c, 4);
      for (const RuntimeLimits& limits :
           {RuntimeLimits{"tiny", 24, 16}, RuntimeLimits{"small", 40, 24}, rccl_limits}) {
        const RuntimeFit fit = fit_runtime(scheduled, limits);
        EXPECT_NE(fit.algorithm.has_value(), !fit.exceeded.empty());
        if (!fit.algorithm) continue;
        ++fitted;
        expect_runs(*fit.algorithm, limits, std::string(name(c)) + ", round " + std::to_string(round));
      }
    }
  }
  EXPECT_GE(fitted, test::rounds(32));
}

TEST(FitRuntime, StepsAreSpreadOverChannels) {
  const Algorithm scheduled = make(parse_short_network("ring:4,bw=50GB/s,lat=500ns"), Collective::all_gather, 64);
  const RuntimeFit fit = fit_runtime(scheduled, rccl_limits);
  ASSERT_TRUE(fit.algorithm.has_value()) << fit.exceeded;
  EXPECT_GT(fit.algorithm->channels, 1);
  expect_runs(*fit.algorithm, rccl_limits, "ring");
}

TEST(FitRuntime, XmlElementsAreCounted) {
  const Algorithm scheduled = make(parse_short_network("ring:4,bw=50GB/s,lat=500ns"), Collective::all_gather, 1024);
  const RuntimeFit fit = fit_runtime(scheduled, msccl_limits);
  EXPECT_TRUE(fit.elements) << fit.exceeded;
  EXPECT_GT(fit.times, 1.4);
  EXPECT_LT(fit.times, 1.6);
}

// Each link has 96 messages.
TEST(FitRuntime, WhatIsExceededIsTold) {
  const Algorithm scheduled = make(parse_short_network("ring:4,bw=50GB/s,lat=500ns"), Collective::all_gather, 64);
  EXPECT_EQ(fit_runtime(scheduled, {"tiny", 8, 16}).exceeded, "GPU 0 would need 48 threadblocks; tiny accepts 16");
  EXPECT_EQ(fit_runtime(scheduled, {"tiny", 2, 64}).exceeded,
            "the messages from GPU 0 to GPU 1 would need more than 32 channels of 2 steps; tiny accepts no more");
}

}  // namespace
}  // namespace convert::runtime_cases
