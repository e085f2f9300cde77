// SPDX-License-Identifier: MIT
#include "generate/workload/memory.h"

#include <algorithm>

#include "generate/workload/parameters.h"
#include "generate/workload/schedule.h"

namespace convert {
namespace {

WideCount wide(std::int64_t n) { return static_cast<WideCount>(n); }

// Returns the most that is in flight at a time if a forward pass of each chunk of a stage adds its weight; what
// uses it for the last time, the backward pass or that of gradients of weights, takes it away.
std::int64_t most_in_flight(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage,
                            const std::vector<std::int64_t>& weights) {
  const PassKind last = plan.order == PipelineOrder::zb_h1 ? PassKind::weights : PassKind::backward;
  std::int64_t now = 0, most = 0;
  for (const StagePass& pass : pipeline_schedule(plan, micro_batches, stage)) {
    const std::int64_t weight = weights.at(static_cast<std::size_t>(pass.chunk));
    if (pass.kind == PassKind::forward) now += weight;
    if (pass.kind == last) now -= weight;
    most = std::max(most, now);
  }
  return most;
}

// Returns the layers of each chunk of a stage.
std::vector<std::int64_t> layers_of_chunks(const Workload& w, std::int64_t stage) {
  const std::vector<std::int64_t> first = chunk_layers(w.model, w.plan);
  std::vector<std::int64_t> out;
  for (std::int64_t chunk = 0; chunk < w.plan.chunks; ++chunk) {
    const auto of_model = static_cast<std::size_t>(chunk * w.plan.pipeline + stage);
    out.push_back(first.at(of_model + 1) - first.at(of_model));
  }
  return out;
}

void add_training(const Workload& w, const StageBody& body, std::int64_t stage, RankMemory& m) {
  const bool all = w.plan.shard < Shard::zero2;
  m.gradients = wide(w.step.gradient_bytes) * wide(all ? body.parameters : body.optimizer_parameters);
  if (w.plan.shard == Shard::zero3) m.parameters = wide(w.step.activation_bytes) * wide(body.optimizer_parameters);
  m.optimizer = 12 * wide(body.optimizer_parameters);
  m.activations = activation_bytes_of_layer(w) *
                  wide(most_in_flight(w.plan, w.step.micro_batches, stage, layers_of_chunks(w, stage)));
}

// All prompts' keys are there at the end.
WideCount key_bytes(const WorkloadSet& set, std::int64_t c) {
  const Workload& w = set.workload();
  const bool goes_on = w.step.decodes() && (!w.plan.disaggregates() || set.only_decodes(c));
  WideCount prompts = wide(w.step.micro_batch) * wide(w.step.micro_batches);
  if (set.only_decodes(c)) prompts = prompts * wide(w.plan.prefill_replicas) / wide(w.plan.decode_replicas);
  const std::int64_t tokens = w.step.sequence + (goes_on ? w.step.tokens : 0);
  const std::int64_t layers = layers_of_chunks(w, set.stage_of_class(c))[0];
  const std::int64_t token = w.step.activation_bytes * Parameters(w.model).keys_and_values();
  return prompts * wide(tokens) * wide(layers) * wide(token) / wide(w.model.latent() ? 1 : w.plan.tensor);
}

}  // namespace

std::int64_t passes_in_flight(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  return most_in_flight(plan, micro_batches, stage,
                        std::vector<std::int64_t>(static_cast<std::size_t>(plan.chunks), 1));
}

WideCount activation_bytes_of_layer(const Workload& w) {
  const WideCount tokens = wide(w.step.micro_batch) * wide(w.step.sequence) / wide(w.plan.context);
  const WideCount each = tokens * wide(w.model.hidden), t = wide(w.plan.tensor);
  if (w.plan.recompute == Recompute::full) return 2 * each;
  const bool kept = w.plan.recompute == Recompute::none && w.step.operations == OperationCount::model;
  const WideCount scores = kept ? 5 * wide(w.model.heads) * wide(w.step.sequence) * tokens / t : 0;
  return (w.plan.sequence_parallel ? 34 * each / t : 10 * each + 24 * each / t) + scores;
}

RankMemory memory_of(const WorkloadSet& set, std::int64_t c) {
  const Workload& w = set.workload();
  const StageBody& body = set.body(c);
  RankMemory m{.parameters = wide(w.step.activation_bytes) * wide(body.parameters)};
  if (w.step.trains()) {
    add_training(w, body, set.stage_of_class(c), m);
  } else {
    m.keys = key_bytes(set, c);
  }
  if (w.plan.memory != FarMemory::offload) return m;
  m.optimizer = m.keys = 0;
  if (w.plan.shard >= Shard::zero2) m.gradients = 0;
  if (w.plan.shard == Shard::zero3) m.parameters = 0;
  return m;
}

}  // namespace convert
