// SPDX-License-Identifier: MIT
// Makes the calls that exchange gradients and parameters over data-parallel ranks, and the optimizer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"
#include "generate/workload/layer.h"
#include "generate/workload/parameters.h"

namespace convert {

// What of the model a rank holds.
struct StageUnits {
  std::vector<std::int64_t> layers;  // ascending by chunk
  bool embedding = false;
  bool head = false;
  // Returns whether embedding and head are one matrix on this rank.
  [[nodiscard]] bool joined(const TransformerShape& m) const { return m.tied && embedding && head; }
};

class GradientMaker {
 public:
  GradientMaker(const Workload& workload, const StageUnits& units, BodyBuilder& builder, LayerMaker& layers);

  // zero3: gathers the parameters of a unit after a node; join() lets a node wait for them.
  std::vector<BodyIndex> gather_parameters(ModelUnit unit, BodyIndex after, std::string_view name);
  BodyIndex join(BodyIndex x, std::vector<BodyIndex> gathered);
  // zero2 and zero3: reduces the gradients of a unit as soon as its backward pass has ended.
  void reduce_unit(ModelUnit unit, std::string_view name);
  // After the last pass of a step: reduces what is left, takes the norm, updates, gathers what zero1 and zero2 have
  // updated.
  void finish();
  // Returns the optimizer of the step before; no_node in the first one.
  [[nodiscard]] BodyIndex last_update() const { return last_update_; }
  // Lets the next computation wait for the parameters of a unit that the step before has gathered, if none has yet.
  void await_parameters(ModelUnit unit);

 private:
  // The parameters of a unit on this rank: those of all data-parallel ranks, and of experts.
  struct Sizes {
    ModelUnit unit;
    std::int64_t dense;
    std::int64_t experts;
  };
  // A call that reduced gradients: of experts, or of a bucket of the rest.
  struct Reduced {
    std::int64_t parameters;
    bool experts;
    std::vector<ModelUnit> units;  // whose tensors it has
  };
  [[nodiscard]] Sizes sizes_of(ModelUnit unit) const;
  [[nodiscard]] std::vector<Sizes> units() const;  // in the order in which their gradients come
  [[nodiscard]] std::vector<LocalParameters::Tensor> tensors_of(const Sizes& unit) const;
  [[nodiscard]] bool shares() const { return b_.has(GroupKind::data); }
  [[nodiscard]] bool offloads() const { return w_.plan.memory == FarMemory::offload; }
  BodyIndex gather_shard(std::int64_t parameters, bool experts, BodyIndex after, std::string_view name);
  [[nodiscard]] bool keeps_gradients() const { return w_.plan.shard < Shard::zero2; }
  void reduce_buckets();
  // Reduces gradients of so many parameters, to shards but with ddp; with hsdp these over the replicas.
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
  std::vector<Reduced> reduced_;                          // of ddp and zero1, in order
  std::map<ModelUnit, std::vector<BodyIndex>> gathered_;  // by the step before
  BodyIndex last_update_ = no_node;
};

}  // namespace convert
