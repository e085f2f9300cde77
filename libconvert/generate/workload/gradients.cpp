// SPDX-License-Identifier: MIT
#include "generate/workload/gradients.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "generate/workload/models/samples.h"

namespace convert {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

GradientMaker::GradientMaker(const Workload& workload, const StageUnits& units, BodyBuilder& builder,
                             LayerMaker& layers)
    : w_(workload),
      units_(units),
      b_(builder),
      layers_(layers),
      local_(workload.model, workload.plan),
      gradient_(workload.step.gradient_bytes),
      element_(workload.step.activation_bytes),
      data_ranks_(workload.plan.shard_ranks()),
      expert_ranks_(workload.plan.tensor * data_ranks_ / workload.plan.expert) {}

GradientMaker::Sizes GradientMaker::sizes_of(ModelUnit unit) const {
  const bool joined = units_.joined(w_.model);
  if (unit == head_unit) return {unit, local_.embedding() + local_.norm(), 0};
  if (unit == embedding_unit)
    return {unit, local_.embedding() + local_.positions() + (joined ? local_.norm() : 0), 0};
  return {unit, local_.dense(unit), local_.experts(unit)};
}

// If embedding and head are the same matrix, the embedding unit contains it, with the final norm. Buckets are
// filled in the order of the gradients, the head's first.
std::vector<GradientMaker::Sizes> GradientMaker::units() const {
  const bool joined = units_.joined(w_.model), one_unit = joined && !keeps_gradients();
  std::vector<Sizes> out;
  if (units_.head && !one_unit) out.push_back(sizes_of(head_unit));
  for (const std::int64_t layer : units_.layers | std::views::reverse) out.push_back(sizes_of(layer));
  if (units_.embedding) {
    out.push_back(sizes_of(embedding_unit));
    if (joined && !one_unit) out.back().dense = local_.positions();
  }
  return out;
}

std::vector<LocalParameters::Tensor> GradientMaker::tensors_of(const Sizes& unit) const {
  if (unit.unit == head_unit) return {{"head", local_.embedding()}, {"final_norm", local_.norm()}};
  if (unit.unit == embedding_unit) return {{"emb", unit.dense}};
  auto tensors = local_.tensors(unit.unit);
  std::ranges::reverse(tensors);
  return tensors;
}

// ---- during the passes ----

std::vector<BodyIndex> GradientMaker::gather_parameters(ModelUnit unit, BodyIndex after, std::string_view name) {
  const Sizes sizes = sizes_of(unit);
  std::vector<BodyIndex> out = {gather_shard(sizes.dense, false, after, "all_gather " + std::string(name))};
  if (sizes.experts != 0 && (offloads() || b_.has(GroupKind::expert_data)))
    out.push_back(gather_shard(sizes.experts, true, after, "all_gather experts " + std::string(name)));
  return out;
}

// Gathers a rank's shard of parameters; offloaded shards are loaded first.
BodyIndex GradientMaker::gather_shard(std::int64_t parameters, bool experts, BodyIndex after,
                                      std::string_view name) {
  const std::int64_t bytes = element_ * ceil_div(parameters, experts ? expert_ranks_ : data_ranks_);
  if (offloads()) after = b_.load(experts ? "load expert params" : "load params", bytes, after);
  const GroupKind kind = experts ? GroupKind::expert_data : GroupKind::data;
  const BodyIndex call = b_.collective(Collective::all_gather, bytes, kind, after, name);
  if (!b_.has(kind)) return call;
  // Updated shards are gathered in place; parameters gathered for a layer are temporary.
  if (w_.plan.shard == Shard::zero3) {
    b_.reads_no_deps();
  } else {
    b_.changes(parameters_tensor);
  }
  return call;
}

BodyIndex GradientMaker::join(BodyIndex x, std::vector<BodyIndex> gathered) {
  std::erase(gathered, no_node);
  if (gathered.empty()) return x;
  gathered.push_back(x);
  const BodyIndex joined = b_.compute("unshard", 1, 1, std::move(gathered));
  b_.writes(b_.tensor_of(x));
  return joined;
}

void GradientMaker::reduce_unit(ModelUnit unit, std::string_view name) {
  if (!shares() && !offloads()) return;
  const Sizes sizes = sizes_of(unit);
  const BodyIndex last = b_.last_computation();
  reduce(sizes.dense, false, last, "reduce_scatter " + std::string(name), unit);
  if (sizes.experts != 0) reduce(sizes.experts, true, last, "reduce_scatter expert " + std::string(name), unit);
}

void GradientMaker::reduce(std::int64_t parameters, bool experts, BodyIndex after, std::string_view name,
                           ModelUnit unit) {
  const Collective op = w_.plan.shard == Shard::ddp ? Collective::all_reduce : Collective::reduce_scatter;
  const BodyIndex call =
      b_.collective(op, gradient_ * parameters, experts ? GroupKind::expert_data : GroupKind::data, after, name);
  if (b_.has(experts ? GroupKind::expert_data : GroupKind::data)) tell_gradients(unit, experts);
  const std::int64_t shard = ceil_div(parameters, experts ? expert_ranks_ : data_ranks_);
  BodyIndex last = b_.collective(Collective::all_reduce, gradient_ * shard,
                                 experts ? GroupKind::expert_replicas : GroupKind::replicas, call,
                                 experts ? "all_reduce expert shards" : "all_reduce shards");
  if (last != call) b_.changes(gradients_tensor);
  if (offloads()) last = b_.store(experts ? "store expert grads" : "store grads", gradient_ * shard, last);
  note(last);
}

// The last added call works in place, or accumulates shards of the gradients from a unit's computations.
void GradientMaker::tell_gradients(ModelUnit unit, bool experts) {
  if (keeps_gradients()) return b_.changes(gradients_tensor);
  b_.reads_no_deps();
  b_.writes(gradients_tensor);
  const auto read = [&](ModelUnit from) {
    const GradientNodes& all = layers_.gradients();
    for (auto i = all.lower_bound(std::pair(from, std::string())); i != all.end() && i->first.first == from; ++i) {
      const std::string& name = i->first.second;
      if (name.find("norm") != std::string::npos || name == "router") continue;
      if (name.starts_with("experts") == experts) b_.reads(i->second);
    }
  };
  read(unit);
  if (unit == embedding_unit && units_.joined(w_.model)) read(head_unit);
}

// ---- at the end ----

void GradientMaker::reduce_bucket(Reduced bucket, BodyIndex after) {
  reduce(bucket.parameters, false, after);
  reduced_.push_back(std::move(bucket));
}

void GradientMaker::reduce_experts(const Sizes& unit) {
  const auto last = layers_.gradients().find(std::pair(unit.unit, std::string("experts_up")));
  reduce(unit.experts, true, last == layers_.gradients().end() ? b_.last_computation() : last->second);
  reduced_.push_back({unit.experts, true, {unit.unit}});
}

// A bucket waits for the last of its gradients in the last micro-batch.
void GradientMaker::reduce_buckets() {
  std::int64_t room = bucket_bytes(w_, w_.plan.shard == Shard::ddp);
  Reduced bucket{};
  BodyIndex last = no_node;
  for (const Sizes& unit : units()) {
    for (const auto& [name, size] : tensors_of(unit)) {
      if (size == 0) continue;
      bucket.parameters += size;
      if (bucket.units.empty() || bucket.units.back() != unit.unit) bucket.units.push_back(unit.unit);
      const auto ready = layers_.gradients().find(std::pair(unit.unit, std::string(name)));
      if (ready != layers_.gradients().end()) last = ready->second;
      if (bucket.parameters * gradient_ < room) continue;
      reduce_bucket(std::exchange(bucket, {}), last);
      room = bucket_bytes(w_, false);
    }
    if (unit.experts != 0) reduce_experts(unit);
  }
  if (bucket.parameters != 0) reduce_bucket(std::move(bucket), last);
}

void GradientMaker::reduce_rest() {
  const BodyIndex last = b_.last_computation();
  if (w_.model.tied && b_.has(GroupKind::embedding)) {
    note(b_.collective(Collective::all_reduce, gradient_ * local_.embedding(), GroupKind::embedding, last,
                       "all_reduce tied embedding"));
    b_.changes(gradients_tensor);
  }
  if (!w_.plan.sequence_parallel) return;
  std::int64_t whole = units_.head ? local_.norm() : 0;
  for (const std::int64_t layer : units_.layers) whole += local_.whole(layer);
  note(b_.collective(Collective::all_reduce, gradient_ * whole, GroupKind::tensor, last,
                     "all_reduce sequence-parallel grads"));
  b_.changes(gradients_tensor);
}

// Adam with bf16 parameters and fp32 state: 12 operations, 26 bytes and the gradient per updated parameter.
BodyIndex GradientMaker::update() {
  std::int64_t dense = 0, experts = 0;
  for (const Sizes& unit : units()) {
    dense += unit.dense;
    experts += unit.experts;
  }
  const bool shared = w_.plan.shard != Shard::ddp;
  const std::int64_t own =
      ceil_div(dense, shared ? data_ranks_ : 1) + ceil_div(experts, shared ? expert_ranks_ : 1);
  b_.body().parameters = dense + experts;
  b_.body().optimizer_parameters = own;
  BodyIndex x = b_.compute("grad_norm", real(2 * own), real(gradient_ * own), calls_);
  b_.reads(gradients_tensor);
  b_.gives(4);
  x = b_.collective(Collective::all_reduce, 4, GroupKind::world, x, "all_reduce grad norm");
  const double operations = real(12 * own), bytes = real((26 + gradient_) * own);
  const BodyIndex optimizer = offloads() ? b_.compute_on_host("optimizer", operations, bytes, x)
                                         : b_.compute("optimizer", operations, bytes, {x});
  for (const BodyIndex tensor : {gradients_tensor, parameters_tensor, optimizer_tensor}) b_.reads(tensor);
  b_.writes(parameters_tensor);
  return optimizer;
}

void GradientMaker::gather_updated(BodyIndex optimizer) {
  if (w_.plan.shard == Shard::zero2) {
    const std::vector<Sizes> all = units();
    for (const Sizes& unit : all) {
      if (unit.dense != 0) reduced_.push_back({unit.dense, false, {unit.unit}});
    }
    for (const Sizes& unit : all) {
      if (unit.experts != 0) reduced_.push_back({unit.experts, true, {unit.unit}});
    }
  }
  for (const Reduced& r : reduced_ | std::views::reverse) {
    const BodyIndex call = gather_shard(r.parameters, r.experts, optimizer,
                                        r.experts ? "all_gather expert params" : "all_gather params");
    for (const ModelUnit unit : r.units) gathered_[unit].push_back(call);
  }
}

void GradientMaker::finish() {
  if (keeps_gradients()) reduce_buckets();
  reduce_rest();
  last_update_ = update();
  if (w_.plan.shard == Shard::zero1 || w_.plan.shard == Shard::zero2) gather_updated(last_update_);
  calls_.clear();
  reduced_.clear();
}

void GradientMaker::await_parameters(ModelUnit unit) {
  const auto gathered = gathered_.extract(unit);
  if (!gathered.empty()) b_.await(gathered.mapped());
}

}  // namespace convert
