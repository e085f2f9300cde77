// SPDX-License-Identifier: MIT
// Replays pipelines on an ideal network and compares their idle time with the papers of their schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/diagnostic.h"
#include "generate/workload/workload.h"
#include "sanitized.h"
#include "simulate/engine/replay.h"
#include "simulate/program/program.h"

namespace convert {
namespace {

struct Pipeline {
  std::int64_t stages;
  std::int64_t micro_batches;
};

// Large matrices, so that the extra work of the first and the last stage hardly matters.
WorkloadSet pipeline_of(const Pipeline& p, PipelineOrder order, std::int64_t chunks) {
  Workload w;
  w.name = "pipeline";
  w.model = {.layers = p.stages * chunks, .hidden = 4096, .heads = 8, .ffn = 16384, .vocab = 1, .gated = false};
  w.step.sequence = 4096;
  w.step.micro_batches = p.micro_batches;
  w.plan.pipeline = p.stages;
  w.plan.chunks = chunks;
  w.plan.order = order;
  w.plan.clip = false;
  w.times.peak_tflops = 1;
  return WorkloadSet(w);
}

// Times of a stage, in nanoseconds: of all micro-batches, of the remaining nodes, and of the longest node.
struct StageTimes {
  std::int64_t forward = 0, backward = 0, weights = 0, end = 0, longest = 0;
};

StageTimes times_of(const Trace& t) {
  StageTimes times;
  for (const Node& n : t.nodes.nodes) {
    if (n.type != NodeType::comp) continue;
    const std::string_view name = t.nodes.name(n);
    const IntValue ns = int_value(t.nodes.attributes(n), attr::duration_nanos);
    const std::int64_t time = ns ? ns.value : static_cast<std::int64_t>(n.duration_us) * 1000;
    const bool after = name == "optimizer" || name == "grad_norm";
    const bool backward = name.ends_with("_dgrad") || name.ends_with("_bwd");
    (after                      ? times.end
     : name.ends_with("_wgrad") ? times.weights
     : backward                 ? times.backward
                                : times.forward) += time;
    times.longest = std::max(times.longest, time);
  }
  return times;
}

// Expects that a step takes the work of a stage plus (p−1)(tF+tB+tW), 1/v of it with v interleaved chunks, and
// (p−1)(tF+tB−tW) with ZB-H1; within one node.
void expect_bubble(const Pipeline& p, PipelineOrder order, std::int64_t chunks) {
  SCOPED_TRACE(std::to_string(p.stages) + " stages, " + std::to_string(p.micro_batches) + " micro-batches, order " +
               std::to_string(static_cast<int>(order)) + ", " + std::to_string(chunks) + " chunks");
  const WorkloadSet set = pipeline_of(p, order, chunks);
  Diagnostics diagnostics;
  ReplayOptions options;
  options.issue = IssueMode::workload;
  NetworkConfig network;
  network.ideal = true;
  ReplayBuilder builder(network, options, diagnostics);
  StageTimes times;
  for (Rank r = 0; r < set.ranks(); ++r) {
    const Trace t = set.trace(r);
    if (r == 1) times = times_of(t);
    builder.add(t);
  }
  const auto program = builder.finish();
  ASSERT_TRUE(program);
  const ReplayResult result = replay(*program);
  EXPECT_EQ(result.status, ReplayStatus::complete);
  const bool apart = order == PipelineOrder::zb_h1;
  const std::int64_t work = times.forward + times.backward + times.weights;
  const std::int64_t waits = (p.stages - 1) * (work - (apart ? 2 * times.weights : 0)) / (p.micro_batches * chunks);
  const std::int64_t expected = work + times.end + waits;
  EXPECT_LT(std::abs(result.total_ps / 1000 - expected), times.longest) << result.total_ps << " " << expected;
}

TEST(Pipelines, WaitAsThePapersSay) {
  for (const Pipeline& p : {Pipeline{4, 8}, {8, 32}, {16, 16}, {12, 192}}) {
    if (test::sanitized && p.micro_batches > 100) continue;
    expect_bubble(p, PipelineOrder::gpipe, 1);
    expect_bubble(p, PipelineOrder::one_f_one_b, 1);
    expect_bubble(p, PipelineOrder::interleaved, 2);
    expect_bubble(p, PipelineOrder::interleaved, 4);
    expect_bubble(p, PipelineOrder::zb_h1, 1);
  }
}

}  // namespace
}  // namespace convert
