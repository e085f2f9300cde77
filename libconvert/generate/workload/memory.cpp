// SPDX-License-Identifier: MIT
#include "generate/workload/memory.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "generate/workload/parameters.h"
#include "generate/workload/schedule.h"

namespace convert {
namespace {

WideCount wide(std::int64_t n) { return static_cast<WideCount>(n); }

// Returns the maximum in flight if each forward pass adds its `weight` and its last user (the backward pass, or the
// pass of weight gradients) removes it.
template <class Weight>
WideCount most_in_flight(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage, Weight weight) {
  const PassKind last = plan.order == PipelineOrder::zb_h1 ? PassKind::weights : PassKind::backward;
  std::map<std::pair<std::int64_t, std::int64_t>, WideCount> kept;  // by micro-batch and chunk
  WideCount now = 0, most = 0;
  for (const StagePass& pass : pipeline_schedule(plan, micro_batches, stage)) {
    if (pass.kind == PassKind::forward) now += kept[{pass.micro_batch, pass.chunk}] = weight(pass);
    if (pass.kind == last) now -= kept[{pass.micro_batch, pass.chunk}];
    most = std::max(most, now);
  }
  return most;
}

// Returns the maximum activations of a class's stage over all micro-batches in flight. Unequal expert loads are
// stored in the body in the order of the passes.
WideCount activations(const WorkloadSet& set, std::int64_t c) {
  const Workload& w = set.workload();
  const std::vector<std::int64_t> first = chunk_layers(w.model, w.plan);
  const Parameters all(w.model);
  std::size_t load = 0;
  const auto of_pass = [&](const StagePass& pass) {
    const auto chunk = static_cast<std::size_t>(pass.chunk * w.plan.pipeline + set.stage_of_class(c));
    WideCount bytes = 0;
    for (std::int64_t layer = first.at(chunk); layer < first.at(chunk + 1); ++layer) {
      std::int64_t rows = equal_expert_rows(w);
      if (w.step.zipf > 0 && all.has_experts(layer)) rows = set.expert_rows(c, load++);
      bytes += activation_bytes_of_layer(w, layer, rows);
    }
    return bytes;
  };
  return most_in_flight(w.plan, w.step.micro_batches, set.stage_of_class(c), of_pass);
}

void add_training(const WorkloadSet& set, std::int64_t c, RankMemory& m) {
  const Workload& w = set.workload();
  const StageBody& body = set.body(c);
  const bool all = w.plan.shard < Shard::zero2;
  m.gradients = wide(w.step.gradient_bytes) * wide(all ? body.parameters : body.optimizer_parameters);
  if (w.plan.shard == Shard::zero3) {
    const std::int64_t gathered = w.plan.reshard ? 0 : body.parameters;
    m.parameters = wide(w.step.activation_bytes) * wide(body.optimizer_parameters + gathered);
  }
  m.optimizer = 12 * wide(body.optimizer_parameters);
  m.activations = activations(set, c);
}

// At the end, the keys of all prompts are stored.
WideCount key_bytes(const WorkloadSet& set, std::int64_t c) {
  const Workload& w = set.workload();
  const bool goes_on = w.step.decodes() && (!w.plan.disaggregates() || set.only_decodes(c));
  WideCount prompts = wide(w.step.micro_batch) * wide(w.step.micro_batches);
  if (set.only_decodes(c)) prompts = prompts * wide(w.plan.prefill_replicas) / wide(w.plan.decode_replicas);
  const std::int64_t tokens = w.step.sequence + (goes_on ? w.step.tokens : 0);
  const std::vector<std::int64_t> first = chunk_layers(w.model, w.plan);
  const auto stage = static_cast<std::size_t>(set.stage_of_class(c));
  const std::int64_t layers = first.at(stage + 1) - first.at(stage);
  const std::int64_t token = w.step.activation_bytes * Parameters(w.model).keys_and_values();
  return prompts * wide(tokens) * wide(layers) * wide(token) / wide(w.model.latent() ? 1 : w.plan.tensor);
}

}  // namespace

std::int64_t passes_in_flight(const ParallelPlan& plan, std::int64_t micro_batches, std::int64_t stage) {
  return static_cast<std::int64_t>(most_in_flight(plan, micro_batches, stage, [](const StagePass&) { return 1U; }));
}

std::int64_t equal_expert_rows(const Workload& w) {
  const std::int64_t own = w.plan.sequence_parallel ? w.plan.tensor : 1;
  return w.step.micro_batch * w.step.sequence / w.plan.context / own * w.model.experts_per_token;
}

// Softmax output; with dropout also its mask and the masked output.
WideCount attention_score_bytes(const Workload& w) {
  if (w.step.operations == OperationCount::hardware) return 0;
  const WideCount element = wide(w.step.activation_bytes);
  const WideCount tokens = wide(w.step.micro_batch) * wide(w.step.sequence) / wide(w.plan.context);
  return (w.model.norm == NormKind::layer ? 2 * element + 1 : element) * wide(w.model.heads / w.plan.tensor) *
         wide(w.step.sequence) * tokens;
}

WideCount activation_bytes_of_layer(const Workload& w, std::int64_t layer, std::int64_t expert_rows) {
  const TransformerShape& m = w.model;
  const Parameters all(m);
  const std::int64_t t = w.plan.tensor, gates = m.gated ? 2 : 1;
  const WideCount element = wide(w.step.activation_bytes);
  const WideCount tokens = wide(w.step.micro_batch) * wide(w.step.sequence) / wide(w.plan.context);
  const WideCount own = w.plan.sequence_parallel ? tokens / wide(t) : tokens;
  if (w.plan.recompute == Recompute::full) return element * own * wide(m.hidden);
  const bool drops = m.norm == NormKind::layer;  // masks have one byte per element
  // Elements per token of the rank's own, and per token of the sequence.
  WideCount of_own = 4 * wide(m.hidden);  // inputs of both norms, of qkv and of up
  WideCount of_all = 0;
  if (m.latent()) {
    // Queries and keys before and after their norms; queries, keys, values and result of attention.
    of_all = 2 * wide(m.q_rank) + 2 * wide(m.kv_rank) + wide(m.rope_size) +
             2 * wide(m.heads / t) * wide(m.nope_size + m.rope_size + m.value_size);
  } else {
    of_all = wide((2 * m.heads + 2 * all.kv_heads()) * all.head_size() / t);
  }
  WideCount of_rows = 0;
  if (all.has_experts(layer)) {
    // Router scores and returned results of the experts; for each row its input, up and act.
    of_own += wide(m.experts) + wide(m.experts_per_token) * wide(m.hidden);
    of_rows = wide(m.hidden + (gates + 1) * m.expert_ffn);
    of_all += wide((gates + 1) * all.shared_ffn() / t);
  } else {
    of_all += wide((gates + 1) * m.ffn / t);
  }
  WideCount bytes = element * (own * of_own + tokens * of_all + wide(expert_rows) * of_rows);
  if (drops) bytes += 2 * own * wide(m.hidden);
  if (w.plan.recompute == Recompute::none) bytes += attention_score_bytes(w);
  return bytes;
}

RankMemory memory_of(const WorkloadSet& set, std::int64_t c) {
  const Workload& w = set.workload();
  const StageBody& body = set.body(c);
  RankMemory m{.parameters = wide(w.step.activation_bytes) * wide(body.parameters)};
  if (w.step.trains()) {
    add_training(set, c, m);
  } else {
    m.keys = key_bytes(set, c);
  }
  if (w.plan.memory != FarMemory::offload) return m;
  m.optimizer = m.keys = 0;
  if (w.plan.shard >= Shard::zero2) m.gradients = 0;
  if (w.plan.shard == Shard::zero3) m.parameters -= wide(w.step.activation_bytes) * wide(body.optimizer_parameters);
  return m;
}

}  // namespace convert
