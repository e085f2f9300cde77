// SPDX-License-Identifier: MIT
#include "generate/workload/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace convert {
namespace {

ParallelPlan plan_of(std::int64_t stages, PipelineOrder order, std::int64_t chunks = 1) {
  ParallelPlan plan;
  plan.pipeline = stages;
  plan.order = order;
  plan.chunks = chunks;
  return plan;
}

// "F0 F1 B0 …"; the chunk follows a dot if there are several.
std::string order_of(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  std::string out;
  for (const StagePass& p : pipeline_schedule(plan, micro_batches, stage)) {
    out += out.empty() ? "" : " ";
    out += "FBW"[static_cast<std::size_t>(p.kind)] + std::to_string(p.micro_batch);
    if (plan.chunks > 1) out += "." + std::to_string(p.chunk);
  }
  return out;
}

TEST(PipelineSchedule, Orders) {
  EXPECT_EQ(order_of(plan_of(2, PipelineOrder::gpipe), 3, 0), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(order_of(plan_of(4, PipelineOrder::one_f_one_b), 5, 1), "F0 F1 F2 B0 F3 B1 F4 B2 B3 B4");
  EXPECT_EQ(order_of(plan_of(4, PipelineOrder::one_f_one_b), 2, 0), "F0 F1 B0 B1") << "fewer than stages";
  EXPECT_EQ(order_of(plan_of(2, PipelineOrder::interleaved, 2), 2, 1), "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0");
  EXPECT_EQ(order_of(plan_of(3, PipelineOrder::zb_h1), 4, 0), "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3");
  EXPECT_EQ(order_of(plan_of(3, PipelineOrder::zb_h1), 4, 2), "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3");
}

// Returns the time of a step in which a forward pass of all chunks takes 1, as do the gradients of inputs and the
// gradients of weights.
double span_of(const ParallelPlan& plan, std::int64_t micro_batches) {
  const std::int64_t p = plan.pipeline, chunks = p * plan.chunks;
  using Done = std::tuple<PassKind, std::int64_t, std::int64_t>;  // micro-batch, chunk of the model
  std::map<Done, double> ends;
  std::vector<std::vector<StagePass>> orders;
  for (std::int64_t s = 0; s < p; ++s) orders.push_back(pipeline_schedule(plan, micro_batches, s));
  std::vector<std::size_t> at(orders.size());
  std::vector<double> clock(orders.size());
  const bool apart = plan.order == PipelineOrder::zb_h1;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < orders.size(); ++s) {
      for (; at[s] < orders[s].size(); ++at[s], moved = true) {
        const StagePass& pass = orders[s][at[s]];
        const std::int64_t chunk = pass.chunk * p + static_cast<std::int64_t>(s);
        std::vector<Done> needs;
        if (pass.kind == PassKind::forward && chunk > 0)
          needs.emplace_back(PassKind::forward, pass.micro_batch, chunk - 1);
        if (pass.kind == PassKind::backward) needs.emplace_back(PassKind::forward, pass.micro_batch, chunk);
        if (pass.kind == PassKind::backward && chunk + 1 < chunks)
          needs.emplace_back(PassKind::backward, pass.micro_batch, chunk + 1);
        if (pass.kind == PassKind::weights) needs.emplace_back(PassKind::backward, pass.micro_batch, chunk);
        if (!std::ranges::all_of(needs, [&](const Done& n) { return ends.contains(n); })) break;
        for (const Done& n : needs) clock[s] = std::max(clock[s], ends[n]);
        clock[s] += (pass.kind == PassKind::backward && !apart ? 2.0 : 1.0) / static_cast<double>(plan.chunks);
        ends[{pass.kind, pass.micro_batch, chunk}] = clock[s];
      }
    }
  }
  for (std::size_t s = 0; s < orders.size(); ++s)
    EXPECT_EQ(at[s], orders[s].size()) << "stage " << s << " waits forever";
  return std::ranges::max(clock);
}

// (p−1)(tF+tB+tW), 1/v of it with v interleaved chunks, and (p−1)(tF+tB−tW) with ZB-H1.
TEST(PipelineSchedule, BubblesAreThoseOfThePapers) {
  for (const auto& [p, m] :
       std::initializer_list<std::pair<std::int64_t, std::int64_t>>{{4, 8}, {8, 32}, {16, 16}, {12, 192}}) {
    const auto bubble = [&, p = p, m = m](PipelineOrder order, std::int64_t chunks) {
      return span_of(plan_of(p, order, chunks), m) - 3 * static_cast<double>(m);
    };
    const auto stages = static_cast<double>(p - 1);
    EXPECT_NEAR(bubble(PipelineOrder::gpipe, 1), 3 * stages, 1e-9);
    EXPECT_NEAR(bubble(PipelineOrder::one_f_one_b, 1), 3 * stages, 1e-9);
    EXPECT_NEAR(bubble(PipelineOrder::interleaved, 2), 3 * stages / 2, 1e-9);
    EXPECT_NEAR(bubble(PipelineOrder::interleaved, 4), 3 * stages / 4, 1e-9);
    EXPECT_NEAR(bubble(PipelineOrder::zb_h1, 1), stages, 1e-9);
  }
}

TEST(PipelineSchedule, WhatIsLeftOverGoesToTheChunksFromTheSecondOn) {
  TransformerShape m;
  m.layers = 10;
  EXPECT_EQ(chunk_layers(m, plan_of(4, PipelineOrder::gpipe)), (std::vector<std::int64_t>{0, 2, 5, 8, 10}));
  EXPECT_EQ(chunk_layers(m, plan_of(1, PipelineOrder::gpipe)), (std::vector<std::int64_t>{0, 10}));
}

}  // namespace
}  // namespace convert
