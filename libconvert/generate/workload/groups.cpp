// SPDX-License-Identifier: MIT
#include "generate/workload/groups.h"

#include <algorithm>
#include <initializer_list>

namespace convert {

PlanGroups::PlanGroups(const ParallelPlan& plan, bool experts, bool trains)
    : t_(plan.tensor),
      c_(plan.context),
      d_(plan.data),
      p_(plan.pipeline),
      e_(plan.expert),
      shard_(plan.shard_ranks()),
      block_(plan.tensor * plan.context * plan.data),
      replica_(plan.tensor * shard_),
      replicas_(block_ / replica_),
      experts_(experts),
      clip_(plan.clip),
      trains_(trains),
      data_first_(plan.inner == Inner::data) {
  first_[0] = 1;
  for (std::size_t k = 0; k < group_kind_names.size(); ++k)
    first_.at(k + 1) = first_.at(k) + count(static_cast<GroupKind>(k));
}

PlanPlace PlanGroups::place(Rank rank) const {
  const std::int64_t r = rank;
  if (data_first_) return {.tensor = r / d_, .data = r % d_};
  return {r % t_, r / t_ % c_, r / (t_ * c_) % d_, r / block_};
}

Rank PlanGroups::rank(const PlanPlace& p) const {
  if (data_first_) return static_cast<Rank>(p.data + d_ * p.tensor);
  return static_cast<Rank>(p.tensor + t_ * (p.context + c_ * (p.data + d_ * p.stage)));
}

std::int64_t PlanGroups::size(GroupKind kind) const {
  if (!trains_ && kind > GroupKind::expert) return 1;
  switch (kind) {
    case GroupKind::tensor: return t_;
    case GroupKind::context: return c_;
    case GroupKind::expert: return e_;
    case GroupKind::expert_data: return experts_ ? replica_ / e_ : 1;
    case GroupKind::expert_replicas: return experts_ ? replicas_ : 1;
    case GroupKind::data: return shard_;
    case GroupKind::replicas: return replicas_;
    case GroupKind::embedding: return p_ > 1 ? 2 : 1;
    case GroupKind::world: return clip_ ? block_ * p_ : 1;
  }
  return 1;
}

std::int64_t PlanGroups::count(GroupKind kind) const {
  if (size(kind) == 1) return 0;
  switch (kind) {
    case GroupKind::tensor: return p_ * d_ * c_;
    case GroupKind::context: return p_ * d_ * t_;
    case GroupKind::expert: return p_ * (block_ / e_);
    case GroupKind::expert_data: return p_ * replicas_ * e_;
    case GroupKind::data: return p_ * replicas_ * t_;
    case GroupKind::expert_replicas:
    case GroupKind::replicas: return p_ * replica_;
    case GroupKind::embedding: return block_;
    case GroupKind::world: return 1;
  }
  return 0;
}

bool PlanGroups::has(GroupKind kind, std::int64_t stage) const {
  return size(kind) > 1 && (kind != GroupKind::embedding || stage == 0 || stage == p_ - 1);
}

std::int64_t PlanGroups::id(GroupKind kind, Rank rank) const {
  const PlanPlace at = place(rank);
  const std::int64_t in_block = rank % block_, first = first_.at(static_cast<std::size_t>(kind));
  const std::int64_t replica = at.stage * replicas_ + in_block / replica_;
  switch (kind) {
    case GroupKind::tensor: return first + (at.stage * d_ + at.data) * c_ + at.context;
    case GroupKind::context: return first + (at.stage * d_ + at.data) * t_ + at.tensor;
    case GroupKind::expert: return first + at.stage * (block_ / e_) + in_block / e_;
    case GroupKind::expert_data: return first + replica * e_ + in_block % e_;
    case GroupKind::data: return first + replica * t_ + at.tensor;
    case GroupKind::expert_replicas:
    case GroupKind::replicas: return first + at.stage * replica_ + in_block % replica_;
    case GroupKind::embedding: return first + in_block;
    case GroupKind::world: return first;
  }
  return 0;
}

std::vector<std::int64_t> PlanGroups::dimensions(GroupKind kind) const {
  struct Size {
    std::int64_t ranks;
    std::initializer_list<GroupKind> within;  // in addition to the group of all ranks
  };
  using enum GroupKind;
  const Size over_tensor{t_, {tensor, expert_data}}, over_context{c_, {context, data, expert_data}};
  const Size over_data{d_, {data, expert_data}}, over_pipeline{p_, {embedding}};
  std::vector<std::int64_t> out;
  for (const Size& size : data_first_ ? std::vector{over_data, over_tensor}
                                      : std::vector{over_tensor, over_context, over_data, over_pipeline}) {
    if (size.ranks == 1) continue;
    const bool goes_over = kind == world || std::ranges::find(size.within, kind) != size.within.end();
    out.push_back(goes_over ? 1 : 0);
  }
  return out;
}

std::vector<CommGroup> PlanGroups::all() const {
  std::vector<CommGroup> groups(static_cast<std::size_t>(count()));
  const auto ranks = static_cast<Rank>(block_ * p_);
  for (std::size_t k = 0; k < group_kind_names.size(); ++k) {
    const auto kind = static_cast<GroupKind>(k);
    if (size(kind) == 1) continue;
    for (Rank r = 0; r < ranks; ++r) {
      if (!has(kind, place(r).stage)) continue;
      const std::int64_t group = id(kind, r);
      groups.at(static_cast<std::size_t>(group - 1)).id = group;
      groups.at(static_cast<std::size_t>(group - 1)).ranks.push_back(r);
    }
  }
  return groups;
}

}  // namespace convert
