// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "config/workload/kinds.h"
#include "core/units.h"

namespace convert {
namespace {

void check_model(const TransformerShape& m) {
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{{"model.layers", m.layers},
                                                                   {"model.hidden", m.hidden},
                                                                   {"model.heads", m.heads},
                                                                   {"model.vocab", m.vocab}}) {
    if (value < 1) throw usage_error(std::string(key) + " is not given");
  }
  if (m.head_size == 0) divides("model.heads", m.heads, "model.hidden", m.hidden);
  if (m.kv_heads > 0) divides("model.kv_heads", m.kv_heads, "model.heads", m.heads);
  if (m.dense_layers > m.layers)
    throw usage_error(named("model.moe.dense_layers", m.dense_layers) + " is more than " +
                      named("model.layers", m.layers));
  if (m.experts > 0 && (m.experts_per_token < 1 || m.expert_ffn < 1))
    throw usage_error(named("model.moe.experts", m.experts) + " needs model.moe.per_token and model.moe.ffn");
  if (m.experts_per_token > m.experts)
    throw usage_error(named("model.moe.per_token", m.experts_per_token) + " is more than " +
                      named("model.moe.experts", m.experts));
  if ((m.experts == 0 || m.dense_layers > 0) && m.ffn < 1) throw usage_error("model.ffn is not given");
  if (m.latent() && (m.kv_rank < 1 || m.nope_size + m.rope_size < 1 || m.value_size < 1))
    throw usage_error(named("model.mla.q_rank", m.q_rank) +
                      " needs model.mla.kv_rank, nope_size, rope_size and value_size");
}

void check_tensor(const Workload& w) {
  const TransformerShape& m = w.model;
  const ParallelPlan& p = w.plan;
  divides("plan.tensor", p.tensor, "model.heads", m.heads);
  if (m.kv_heads > 0) divides("plan.tensor", p.tensor, "model.kv_heads", m.kv_heads);
  divides("plan.tensor", p.tensor, "model.ffn", m.ffn);
  divides("plan.tensor", p.tensor, "model.vocab", m.vocab);
  if (p.sequence_parallel && p.tensor == 1)
    throw usage_error("plan.sequence_parallel needs plan.tensor of 2 or more");
  if (m.experts > 0 && p.tensor > 1 && !p.sequence_parallel)
    throw usage_error(named("model.moe.experts", m.experts) + " with " + named("plan.tensor", p.tensor) +
                      " needs plan.sequence_parallel: else all tensor-parallel ranks would send the same tokens");
}

void check_sequence(const Workload& w) {
  const ParallelPlan& p = w.plan;
  divides(p.context > 1 ? "twice plan.context," : "plan.context", p.context * (p.context > 1 ? 2 : 1),
          "run.sequence", w.step.sequence);
  if (p.sequence_parallel) {
    divides("plan.tensor", p.tensor, "run.sequence", w.step.micro_batch * w.step.sequence / p.context);
  }
  if (p.context > 1 && p.context_by == ContextBy::a2a) {
    const std::int64_t heads = w.model.kv_heads > 0 ? w.model.kv_heads : w.model.heads;
    if (heads % (p.context * p.tensor) != 0)
      throw usage_error("plan.context_by a2a: " + named("model.kv_heads", heads) +
                        " is not a multiple of plan.context × "
                        "plan.tensor " +
                        std::to_string(p.context * p.tensor));
  }
  if (w.model.positions > 0 && w.step.sequence > w.model.positions)
    throw usage_error(named("run.sequence", w.step.sequence) + " is more than " +
                      named("model.positions", w.model.positions));
}

void check_experts(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const auto needs = [](bool given, const std::string& key, const char* other) {
    if (given) throw usage_error(key + " needs " + other);
  };
  const bool alone = p.expert == 1;  // each rank has all experts
  needs(w.step.zipf > 0 && alone, "run.imbalance.zipf", "plan.expert of 2 or more");
  needs(w.step.zipf_seed != 0 && w.step.zipf == 0, named("run.imbalance.seed", w.step.zipf_seed),
        "run.imbalance.zipf");
  needs(p.dispatch_bytes > 0 && alone, "plan.dispatch", "plan.expert of 2 or more");
  needs(p.shared == SharedExperts::early && w.model.shared_experts == 0, "plan.shared early", "model.moe.shared");
  if (alone) return;
  if (w.model.experts == 0)
    throw usage_error(named("plan.expert", p.expert) + ": the model has no model.moe.experts");
  divides("plan.expert", p.expert, "model.moe.experts", w.model.experts);
  divides("plan.expert", p.expert, "plan.tensor × context × data", p.tensor * p.context * p.data);
}

void check_shards(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const bool gathers = p.shard == Shard::zero3;
  if (p.prefetch != 1 && !gathers)
    throw usage_error(named("plan.prefetch", p.prefetch) + " needs plan.shard zero3");
  if (!p.reshard && !gathers) throw usage_error("plan.reshard false needs plan.shard zero3");
  if (p.buckets == Buckets::megatron && p.shard >= Shard::zero2)
    throw usage_error(
        "plan.buckets megatron needs plan.shard ddp or zero1: other values reduce the gradients of each layer");
  if (p.hsdp == 0) return;
  const std::string key = named("plan.hsdp", p.hsdp);
  if (p.shard == Shard::ddp) throw usage_error(key + " needs plan.shard of zero1, zero2 or zero3");
  if (p.hsdp == 1)
    throw usage_error(key + ": one rank has nothing to shard; use plan.shard ddp for whole replicas");
  divides("plan.hsdp", p.hsdp, "plan.context × data", p.context * p.data);
  if (w.model.experts > 0) divides("plan.expert", p.expert, "plan.tensor × plan.hsdp", p.tensor * p.hsdp);
}

void check_memory(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const bool offloads = p.memory == FarMemory::offload;
  if (offloads && w.step.trains() && p.shard == Shard::ddp)
    throw usage_error("plan.memory offload needs plan.shard of zero1, zero2 or zero3");
  if (offloads && p.disaggregates())
    throw usage_error("plan.memory offload and plan.disaggregate cannot be combined");
  if (w.times.host_gb_per_s > 0 && !(offloads && w.step.trains()))
    throw usage_error("time.host needs plan.memory offload and run.mode train");
}

// The tensors of nodes are known only for training, whole sequences and equal expert loads.
void check_tensors(const Workload& w) {
  if (!w.step.tensors) return;
  const auto alone = [](bool given, const std::string& key) {
    if (given) throw usage_error("run.tensors and " + key + " cannot be combined");
  };
  alone(!w.step.trains(), "a run.mode other than train");
  alone(w.plan.context > 1, named("plan.context", w.plan.context));
  alone(w.step.zipf > 0, "run.imbalance.zipf");
  alone(w.plan.memory == FarMemory::offload, "plan.memory offload");
}

// Each group spans a whole dimension, or none of it.
void check_dimensions(const ParallelPlan& p) {
  if (!p.dimensions) return;
  if (p.expert > 1) throw usage_error("plan.dimensions needs plan.expert 1, not " + std::to_string(p.expert));
  if (p.hsdp > 0) throw usage_error("plan.dimensions and " + named("plan.hsdp", p.hsdp) + " cannot be combined");
}

void check_pipeline(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const std::int64_t chunks = p.pipeline * p.chunks;
  if ((p.order == PipelineOrder::interleaved) != (p.chunks > 1))
    throw usage_error("plan.order interleaved and plan.chunks of 2 or more require each other");
  if (p.chunks > 1 && p.pipeline == 1)
    throw usage_error(named("plan.chunks", p.chunks) + " needs plan.pipeline of 2 or more");
  if (p.order == PipelineOrder::interleaved)
    divides("plan.pipeline", p.pipeline, "run.micro_batches", w.step.micro_batches);
  if (chunks > w.model.layers)
    throw usage_error("plan.pipeline × plan.chunks " + std::to_string(chunks) + " is more than " +
                      named("model.layers", w.model.layers));
  if (p.layers.empty()) return;
  if (static_cast<std::int64_t>(p.layers.size()) != chunks)
    throw usage_error("plan.layers has " + std::to_string(p.layers.size()) +
                      " numbers for plan.pipeline × plan.chunks " + std::to_string(chunks));
  const std::int64_t sum = std::accumulate(p.layers.begin(), p.layers.end(), std::int64_t{0});
  if (sum != w.model.layers)
    throw usage_error("plan.layers add up to " + std::to_string(sum) + ", not to " +
                      named("model.layers", w.model.layers));
}

// Rejects workloads that do not fit into memory as one body per stage, or into 63 bits.
void check_amounts(const Workload& w) {
  const TransformerShape& m = w.model;
  const bool ring = w.plan.context > 1 && w.plan.context_by == ContextBy::ring;
  constexpr std::int64_t most_layers = std::int64_t{1} << 19U;
  const auto real = [](std::int64_t n) { return static_cast<double>(n); };
  const double layers = real(m.layers) * real(w.step.micro_batches) * real(w.step.iterations) *
                        real(w.step.tokens) * real(ring ? w.plan.context : 1);
  if (layers > real(most_layers))
    throw usage_error(named("model.layers", m.layers) + " × " + named("run.micro_batches", w.step.micro_batches) +
                      (w.step.iterations > 1 ? " × " + named("run.iterations", w.step.iterations) : "") +
                      (w.step.tokens > 1 ? " × " + named("run.tokens", w.step.tokens) : "") +
                      (ring ? " × " + named("plan.context", w.plan.context) : "") + " is more than " +
                      std::to_string(most_layers));
  const double tokens = real(w.step.micro_batch) * real(w.step.sequence);
  const double heads = real(m.heads) * std::max(real(m.head_size), real(m.hidden) / real(m.heads)) * 3 +
                       real(m.heads) * real(m.nope_size + m.rope_size + m.value_size);
  const double ffn =
      2 * std::max({real(m.ffn), real(m.expert_ffn) * real(std::max<std::int64_t>(m.shared_experts, 1)),
                    real(m.experts), real(m.q_rank + m.kv_rank)});
  const double width = real(m.hidden) + heads + ffn + real(m.vocab);
  const double parameters = real(m.layers) * real(std::max<std::int64_t>(m.experts, 1)) * width * width;
  const double operations =
      tokens * std::max(1.0, real(m.experts_per_token)) * (width * width + real(w.step.sequence) * heads);
  constexpr double most_parameters = 1e17, most_operations = 1e18;  // products a few times larger still fit
  if (parameters > most_parameters || operations > most_operations)
    throw usage_error("the sizes of " + std::string(parameters > most_parameters ? "model" : "model and run") +
                      " are too large: numbers of bytes or operations would not fit into 63 bits");
}

}  // namespace

void check_workload(const Workload& w) {
  constexpr std::int64_t most_ranks = std::int64_t{1} << 24U;
  const ParallelPlan& p = w.plan;
  std::int64_t ranks = 1;
  for (const std::int64_t n : {p.tensor, p.context, p.data, p.pipeline})
    ranks = n > most_ranks / ranks ? most_ranks + 1 : ranks * n;
  if (ranks > most_ranks)
    throw usage_error("plan.tensor × context × data × pipeline is more than " + std::to_string(most_ranks) +
                      " NPUs");
  if (!w.times.given() && w.times.memory_gb_per_s > 0) throw usage_error("time.memory needs time.peak");
  if (!w.times.given() && w.times.host_gb_per_s > 0) throw usage_error("time.host needs time.peak");
  switch (w.kind) {
    case ModelKind::transformer: break;
    case ModelKind::mlp: return check_mlp(w);
    case ModelKind::dlrm: return check_dlrm(w);
    case ModelKind::resnet: return check_resnet(w);
    case ModelKind::vit: return check_vit(w);
  }
  check_model(w.model);
  check_amounts(w);
  check_inference(w);
  check_tensor(w);
  check_sequence(w);
  check_experts(w);
  check_shards(w);
  check_memory(w);
  check_pipeline(w);
  check_dimensions(w.plan);
  check_tensors(w);
}

}  // namespace convert
