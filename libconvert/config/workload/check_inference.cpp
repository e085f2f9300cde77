// SPDX-License-Identifier: MIT
#include <algorithm>

#include "config/workload/kinds.h"

namespace convert {
namespace {

std::string mode_of(const Workload& w) {
  constexpr std::array<std::string_view, 4> names = {"train", "prefill", "decode", "both"};
  return "run.mode " + std::string(names.at(static_cast<std::size_t>(w.step.mode)));
}

// Rejects settings that apply to training only.
void check_training_keys(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const auto only = [&](bool given, const std::string& key) {
    if (given) throw usage_error(key + " is for run.mode train, not for " + mode_of(w));
  };
  only(p.context > 1, named("plan.context", p.context));
  only(p.sequence_parallel, "plan.sequence_parallel");
  only(p.chunks > 1, named("plan.chunks", p.chunks));
  only(p.shard != Shard::ddp, "plan.shard of zero1, zero2 or zero3");
  only(p.buckets != Buckets::pytorch, "plan.buckets megatron");
  only(p.prefetch != 1, named("plan.prefetch", p.prefetch));
  only(!p.reshard, "plan.reshard false");
  only(p.recompute != Recompute::none, "plan.recompute");
}

// Prompts move from replicas that prefill to replicas that decode. Several prefill replicas send to one decode
// replica, or one prefill replica sends to several in turn.
void check_disaggregation(const Workload& w) {
  const ParallelPlan& p = w.plan;
  const std::int64_t from = p.prefill_replicas, to = p.decode_replicas;
  if (from == 0 && to == 0) return;
  if (from == 0 || to == 0)
    throw usage_error("plan.disaggregate.prefill and plan.disaggregate.decode require each other");
  if (w.step.mode != RunMode::both)
    throw usage_error(named("plan.disaggregate.prefill", from) + " needs run.mode both, not " + mode_of(w));
  if (from + to != p.data)
    throw usage_error("plan.disaggregate.prefill + plan.disaggregate.decode " + std::to_string(from + to) +
                      " are not " + named("plan.data", p.data));
  if (std::max(from, to) % std::min(from, to) != 0)
    throw usage_error(named("plan.disaggregate.prefill", from) + " and " + named("plan.disaggregate.decode", to) +
                      ": neither is a multiple of the other");
  if (to > from)
    divides("plan.disaggregate.decode / prefill", to / from, "run.micro_batches", w.step.micro_batches);
  for (const auto& [key, replicas] : {std::pair{"plan.disaggregate.prefill × plan.tensor", from},
                                      std::pair{"plan.disaggregate.decode × plan.tensor", to}})
    divides("plan.expert", p.expert, key, replicas * p.tensor);
}

}  // namespace

void check_inference(const Workload& w) {
  if (!w.step.decodes() && w.step.tokens != 1)
    throw usage_error(named("run.tokens", w.step.tokens) + " needs run.mode decode or both, not " + mode_of(w));
  check_disaggregation(w);
  if (w.step.trains()) return;
  check_training_keys(w);
  if (w.model.experts > 0 && w.plan.tensor > 1)
    throw usage_error(named("model.moe.experts", w.model.experts) + " with " + mode_of(w) +
                      " needs plan.tensor 1, not " + std::to_string(w.plan.tensor));
  if (w.model.positions > 0 && w.step.decodes() && w.step.sequence + w.step.tokens > w.model.positions)
    throw usage_error("run.sequence + run.tokens " + std::to_string(w.step.sequence + w.step.tokens) +
                      " is more than " + named("model.positions", w.model.positions));
}

}  // namespace convert
