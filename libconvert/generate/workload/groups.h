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

// What a group is for: activations of a layer; keys and values; tokens to experts; gradients of experts, and with
// hsdp those of the same experts in all replicas; gradients and parameters of the rest, and the same; the gradient
// of tied embeddings; the norm of all gradients.
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

// Where a rank stands: rank = tensor + t(context + c(data + d·stage)), with Inner::data data + d·tensor.
struct PlanPlace {
  std::int64_t tensor = 0;
  std::int64_t context = 0;
  std::int64_t data = 0;
  std::int64_t stage = 0;
};

// Ids count from 1 in the order of GroupKind, within a kind by stage, data, context, tensor; groups of one rank
// have none. Arithmetic: nothing is stored per rank.
class PlanGroups {
 public:
  // `experts`: the model has some, so that there are gradients of experts even where each rank has all of them.
  // Without training there are no gradients: tp, cp and ep are all.
  PlanGroups(const ParallelPlan& plan, bool experts, bool trains = true);

  [[nodiscard]] PlanPlace place(Rank rank) const;
  [[nodiscard]] Rank rank(const PlanPlace& p) const;
  // Returns whether there are groups of a kind on a stage.
  [[nodiscard]] bool has(GroupKind kind, std::int64_t stage) const;
  [[nodiscard]] std::int64_t size(GroupKind kind) const;
  // Returns the id of a rank's group of a kind that its stage has.
  [[nodiscard]] std::int64_t id(GroupKind kind, Rank rank) const;
  // Returns whether a group goes over each dimension of a network in which tensor, context, data and pipeline,
  // those of several ranks, have one each, the fastest first.
  [[nodiscard]] std::vector<std::int64_t> dimensions(GroupKind kind) const;
  [[nodiscard]] std::int64_t count() const { return first_.back() - 1; }
  // Returns all groups in the order of their ids.
  [[nodiscard]] std::vector<CommGroup> all() const;

 private:
  [[nodiscard]] std::int64_t count(GroupKind kind) const;

  std::int64_t t_, c_, d_, p_, e_;
  std::int64_t shard_;     // ranks that share, of context × data
  std::int64_t block_;     // ranks of a stage
  std::int64_t replica_;   // of those: ranks that hold the stage once
  std::int64_t replicas_;  // more than one with hsdp only
  bool experts_, clip_, trains_, data_first_;
  std::array<std::int64_t, group_kind_names.size() + 1> first_{};  // id by kind
};

}  // namespace convert
