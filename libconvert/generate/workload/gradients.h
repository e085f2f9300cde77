// SPDX-License-Identifier: MIT
// Exchange of gradients and parameters over data-parallel ranks, and the optimizer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"
#include "generate/workload/layer.h"
#include "generate/workload/parameters.h"

namespace convert {

// Parts of the model on a rank.
struct StageUnits {
  std::vector<std::int64_t> layers;  // ascending by chunk
  bool embedding = false;
  bool head = false;
  // Returns whether embedding and head are the same matrix on this rank.
  [[nodiscard]] bool joined(const TransformerShape& m) const { return m.tied && embedding && head; }
};

class GradientMaker {
 public:
  GradientMaker(const Workload& workload, const StageUnits& units, BodyBuilder& builder, LayerMaker& layers);

  // zero3: gathers the parameters of a unit after a node; join() makes a node wait for them.
  std::vector<BodyIndex> gather_parameters(ModelUnit unit, BodyIndex after, std::string_view name);
  BodyIndex join(BodyIndex x, std::vector<BodyIndex> gathered);
  // zero2 and zero3: reduces the gradients of a unit as soon as its backward pass has ended.
  void reduce_unit(ModelUnit unit, std::string_view name);
  // Called after the last pass of a step: reduces the remaining gradients, computes the norm, updates, and gathers
  // the parameters that zero1 and zero2 have updated.
  void finish();
  // Returns the optimizer of the previous step; no_node in the first step.
  [[nodiscard]] BodyIndex last_update() const { return last_update_; }
  // Makes the next computation wait for the parameters of a unit gathered in the previous step, unless one already
  // does.
  void await_parameters(ModelUnit unit);

 private:
  // Parameters of a unit on this rank: shared by all data-parallel ranks, and of experts.
  struct Sizes {
    ModelUnit unit;
    std::int64_t dense;
    std::int64_t experts;
  };
  // Call that reduced gradients: of experts, or of a bucket of other parameters.
  struct Reduced {
    std::int64_t parameters;
    bool experts;
    std::vector<ModelUnit> units;  // units whose tensors it contains
  };
  [[nodiscard]] Sizes sizes_of(ModelUnit unit) const;
  [[nodiscard]] std::vector<Sizes> units() const;  // in the order of their gradients
  [[nodiscard]] std::vector<LocalParameters::Tensor> tensors_of(const Sizes& unit) const;
  [[nodiscard]] bool shares() const { return b_.has(GroupKind::data); }
  [[nodiscard]] bool offloads() const { return w_.plan.memory == FarMemory::offload; }
  BodyIndex gather_shard(std::int64_t parameters, bool experts, BodyIndex after, std::string_view name);
  [[nodiscard]] bool keeps_gradients() const { return w_.plan.shard < Shard::zero2; }
  void reduce_buckets();
  // Reduces gradients of `parameters` parameters, to shards except with ddp; with hsdp also over the replicas.
  void reduce(std::int64_t parameters, bool experts, BodyIndex after, std::string_view name = {},
              ModelUnit unit = head_unit);
  void tell_gradients(ModelUnit unit, bool experts);
  void reduce_bucket(Reduced bucket, BodyIndex after);
  void reduce_experts(const Sizes& unit);
  void reduce_rest();
  BodyIndex update();
  void gather_updated(BodyIndex optimizer);
  void note(BodyIndex call) {
    if (call != no_node) calls_.push_back(call);
  }

  const Workload& w_;
  const StageUnits& units_;
  BodyBuilder& b_;
  LayerMaker& layers_;
  LocalParameters local_;
  std::int64_t gradient_, element_, data_ranks_, expert_ranks_;
  std::vector<BodyIndex> calls_;                          // that the norm waits for
  std::vector<Reduced> reduced_;                          // for ddp and zero1, in order
  std::map<ModelUnit, std::vector<BodyIndex>> gathered_;  // in the previous step
  BodyIndex last_update_ = no_node;
};

}  // namespace convert
