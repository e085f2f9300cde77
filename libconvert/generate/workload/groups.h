// SPDX-License-Identifier: MIT
// Numbers the ranks of a plan and their process groups.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/groups.h"
#include "config/workload/workload.h"

namespace convert {

// Purpose of a group: activations of a layer (tensor); keys and values (context); tokens to experts (expert);
// gradients of experts (expert_data), and with hsdp of the same experts in all replicas (expert_replicas); other
// gradients and parameters (data, replicas); the gradient of tied embeddings (embedding); the norm of all gradients
// (world).
enum class GroupKind : std::uint8_t {
  tensor,
  context,
  expert,
  expert_data,
  expert_replicas,
  data,
  replicas,
  embedding,
  world
};
inline constexpr std::array<std::string_view, 9> group_kind_names = {
    "tp", "cp", "ep", "edp", "edp-repl", "dpcp", "dpcp-repl", "embd", "world"};
[[nodiscard]] constexpr std::string_view name(GroupKind kind) {
  return group_kind_names[static_cast<std::size_t>(kind)];
}

// Coordinates of a rank: rank = tensor + t(context + c(data + d·stage)), with Inner::data data + d·tensor.
struct PlanPlace {
  std::int64_t tensor = 0;
  std::int64_t context = 0;
  std::int64_t data = 0;
  std::int64_t stage = 0;
};

// Group ids start at 1 and follow GroupKind, within a kind stage, data, context, tensor; groups of one rank have no
// id. Ids are computed: nothing is stored per rank.
class PlanGroups {
 public:
  // `experts`: the model has experts, so there are gradients of experts even if each rank has all experts. Without
  // training there are no gradients, and only the groups tp, cp and ep.
  PlanGroups(const ParallelPlan& plan, bool experts, bool trains = true);

  [[nodiscard]] PlanPlace place(Rank rank) const;
  [[nodiscard]] Rank rank(const PlanPlace& p) const;
  // Returns whether a stage has groups of a kind.
  [[nodiscard]] bool has(GroupKind kind, std::int64_t stage) const;
  [[nodiscard]] std::int64_t size(GroupKind kind) const;
  // Returns the id of a rank's group of a kind that its stage has.
  [[nodiscard]] std::int64_t id(GroupKind kind, Rank rank) const;
  // Returns, for each network dimension, whether a group spans it. The dimensions are tensor, context, data and
  // pipeline, as far as they have several ranks, the fastest first.
  [[nodiscard]] std::vector<std::int64_t> dimensions(GroupKind kind) const;
  [[nodiscard]] std::int64_t count() const { return first_.back() - 1; }
  // Returns all groups in order of id.
  [[nodiscard]] std::vector<CommGroup> all() const;

 private:
  [[nodiscard]] std::int64_t count(GroupKind kind) const;

  std::int64_t t_, c_, d_, p_, e_;
  std::int64_t shard_;     // ranks of context × data that share shards
  std::int64_t block_;     // ranks of a stage
  std::int64_t replica_;   // ranks of a stage that hold the stage once
  std::int64_t replicas_;  // more than one only with hsdp
  bool experts_, clip_, trains_, data_first_;
  std::array<std::int64_t, group_kind_names.size() + 1> first_{};  // first id by kind
};

}  // namespace convert
