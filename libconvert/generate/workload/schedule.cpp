// SPDX-License-Identifier: MIT
#include "generate/workload/schedule.h"

#include <algorithm>
#include <deque>

namespace convert {
namespace {

using Passes = std::vector<StagePass>;

Passes all_forward_first(std::int64_t micro_batches) {
  Passes out;
  for (const PassKind kind : {PassKind::forward, PassKind::backward}) {
    for (std::int64_t j = 0; j < micro_batches; ++j) out.push_back({kind, j, 0});
  }
  return out;
}

// Passes run in groups of as many micro-batches as there are stages, chunk by chunk.
Passes interleaved(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  const std::int64_t p = plan.pipeline, v = plan.chunks, total = micro_batches * v;
  const std::int64_t ahead = std::min((p - stage - 1) * 2 + (v - 1) * p, total);
  const auto pass = [&](PassKind kind, std::int64_t k) {
    const std::int64_t chunk = k % (p * v) / p;
    return StagePass{kind, k / (p * v) * p + k % p, kind == PassKind::forward ? chunk : v - 1 - chunk};
  };
  Passes out;
  for (std::int64_t k = 0; k < ahead; ++k) out.push_back(pass(PassKind::forward, k));
  for (std::int64_t k = 0; k < total; ++k) {
    if (ahead + k < total) out.push_back(pass(PassKind::forward, ahead + k));
    out.push_back(pass(PassKind::backward, k));
  }
  return out;
}

Passes one_forward_one_backward(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  const std::int64_t ahead = std::min(plan.pipeline - stage - 1, micro_batches);
  Passes out;
  for (std::int64_t j = 0; j < ahead; ++j) out.push_back({PassKind::forward, j, 0});
  for (std::int64_t j = 0; j < micro_batches; ++j) {
    if (ahead + j < micro_batches) out.push_back({PassKind::forward, ahead + j, 0});
    out.push_back({PassKind::backward, j, 0});
  }
  return out;
}

// At most as many weight gradients wait as there are earlier stages; the oldest is computed before another waits.
Passes zero_bubble(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  Passes out;
  std::deque<std::int64_t> waiting;
  const auto compute_oldest = [&] {
    out.push_back({PassKind::weights, waiting.front(), 0});
    waiting.pop_front();
  };
  for (const StagePass& pass : one_forward_one_backward(plan, micro_batches, stage)) {
    out.push_back(pass);
    if (pass.kind != PassKind::backward) continue;
    waiting.push_back(pass.micro_batch);
    if (static_cast<std::int64_t>(waiting.size()) > stage) compute_oldest();
  }
  while (!waiting.empty()) compute_oldest();
  return out;
}

}  // namespace

std::vector<StagePass> pipeline_schedule(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  switch (plan.order) {
    case PipelineOrder::gpipe: return all_forward_first(micro_batches);
    case PipelineOrder::one_f_one_b: return one_forward_one_backward(plan, micro_batches, stage);
    case PipelineOrder::interleaved: return interleaved(plan, micro_batches, stage);
    case PipelineOrder::zb_h1: return zero_bubble(plan, micro_batches, stage);
  }
  return {};
}

double bubble_share(const ParallelPlan& plan, std::int64_t micro_batches) {
  const auto waiting = static_cast<double>(plan.pipeline - 1);
  const std::int64_t passes = plan.order == PipelineOrder::zb_h1 ? 3 : plan.chunks;
  return waiting / (static_cast<double>(passes) * static_cast<double>(micro_batches) + waiting);
}

std::vector<std::int64_t> chunk_layers(const TransformerShape& model, const ParallelPlan& plan) {
  const std::int64_t chunks = plan.pipeline * plan.chunks;
  std::vector<std::int64_t> sizes = plan.layers;
  if (sizes.empty()) {
    sizes.assign(static_cast<std::size_t>(chunks), model.layers / chunks);
    // The remainder goes to the chunks from the second on, because the first has the embedding.
    for (std::int64_t i = 0; i < model.layers % chunks; ++i) ++sizes.at(static_cast<std::size_t>((1 + i) % chunks));
  }
  std::vector<std::int64_t> first = {0};
  for (const std::int64_t n : sizes) first.push_back(first.back() + n);
  return first;
}

}  // namespace convert
