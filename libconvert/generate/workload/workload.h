// SPDX-License-Identifier: MIT
// Traces of a workload (training or inference of a model), distributed over NPUs by a plan. For formulas and their
// sources see et-workloads(5), for memory generate/workload/memory.h.
//
//   WorkloadSet set(preset_workload("llama3-405b", 16'384));
//   for (std::int64_t c = 0; c < set.classes(); ++c) print(set.figures(c));
//   const Trace rank7 = set.trace(7);
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/groups.h"
#include "config/workload/workload.h"
#include "core/master/master_set.h"
#include "core/trace.h"
#include "generate/noise.h"
#include "generate/workload/body.h"

namespace convert {

// Sums of more than 64 bits.
__extension__ using WideCount = unsigned __int128;
[[nodiscard]] std::string format_wide(WideCount n);  // all digits

// Totals of a rank of a class over all steps.
struct StageFigures {
  Rank first_rank = 0;
  std::uint64_t nodes = 0;
  std::map<NodeType, std::uint64_t> by_type{};
  WideCount operations = 0;
  std::int64_t parameters = 0;            // held by the rank
  std::int64_t optimizer_parameters = 0;  // updated by the rank
  struct Calls {
    std::uint64_t count = 0;
    WideCount bytes = 0;  // sum of comm_size
  };
  std::map<std::pair<Collective, GroupKind>, Calls> calls{};
  Calls pipeline_sends{}, context_sends{}, cache_sends{};  // cache_sends: keys and values, to other replicas
  Calls loads{}, stores{};                                 // transfers with memory outside the NPU
};

// Workload with a body for each pipeline stage, or two if prefill and decode replicas differ. Ranks belong to one
// class if their nodes differ only in groups and peers: the ranks of a body; with unequal expert loads the ranks of
// a body and place in the expert group; with rank-specific embeddings each rank alone.
class WorkloadSet {
 public:
  // Throws Error(usage) as check_workload() does.
  explicit WorkloadSet(Workload workload);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(workload_.plan.ranks()); }
  // Returns the number of rank classes, which are numbered by stage, then role of the replica, then place in the
  // expert group.
  [[nodiscard]] std::int64_t classes() const { return static_cast<std::int64_t>(bodies_.size()) * places(); }
  [[nodiscard]] std::int64_t class_of(Rank rank) const;
  [[nodiscard]] std::int64_t stage_of_class(std::int64_t c) const { return c / places() / roles(); }
  [[nodiscard]] std::int64_t ranks_of_class(std::int64_t c) const;
  // Returns whether the replicas of a class only decode.
  [[nodiscard]] bool only_decodes(std::int64_t c) const { return c / places() % roles() == 1; }
  // Returns the body of a class; node() resolves its uneven nodes.
  [[nodiscard]] const StageBody& body(std::int64_t c) const {
    return bodies_.at(static_cast<std::size_t>(c / places()));
  }
  [[nodiscard]] BodyNode node(std::int64_t c, std::size_t i) const { return body(c).node(i, c % places()); }
  [[nodiscard]] StageBody::Splits splits(std::int64_t c, const BodyNode& node) const {
    return body(c).splits(node, c % places());
  }
  // Returns the number of rows that the experts of a class receive by the i-th of the unequal loads of its body.
  [[nodiscard]] std::int64_t expert_rows(std::int64_t c, std::size_t load) const {
    const std::vector<std::int64_t>& sent = body(c).loads.at(load);
    return sent.at(static_cast<std::size_t>(c % places())) * static_cast<std::int64_t>(sent.size());
  }
  [[nodiscard]] StageFigures figures(std::int64_t c) const;
  [[nodiscard]] std::int64_t group_count() const { return groups_.count(); }
  [[nodiscard]] std::int64_t group_size(GroupKind kind) const { return groups_.size(kind); }
  [[nodiscard]] std::vector<CommGroup> groups() const { return groups_.all(); }
  // Returns the trace of a rank, with noise in its times if given. Thread-safe.
  [[nodiscard]] Trace trace(Rank rank, const Noise& noise = {}) const;
  // Returns all ranks as a class-compressed set, without making each.
  [[nodiscard]] MasterSet master() const;

 private:
  // Rank-specific values of the nodes.
  struct OfRank {
    Rank rank;
    std::int64_t of_class;
    Noise noise;
    std::array<std::string, group_kind_names.size()> groups;  // ids, as in pg_name
    std::array<Rank, peer_kinds> peers;
  };
  // Returns the number of different places in the expert group, or with embeddings.
  [[nodiscard]] std::int64_t places() const {
    if (workload_.kind == ModelKind::dlrm) return workload_.plan.data;
    return workload_.step.zipf > 0 ? workload_.plan.expert : 1;
  }
  [[nodiscard]] std::int64_t roles() const { return workload_.plan.disaggregates() ? 2 : 1; }
  [[nodiscard]] std::int64_t ranks_of_stage() const { return workload_.plan.ranks() / workload_.plan.pipeline; }
  [[nodiscard]] OfRank of_rank(Rank rank) const;
  struct ClassRules;
  void add_rules(const StageBody& body, ClassRules& rules, const ShapeSet& shapes, RankClass& to) const;
  [[nodiscard]] std::int64_t partner(std::int64_t replica) const;
  [[nodiscard]] Rank peer(Peer peer, Rank rank) const;
  void add_node(const StageBody& body, std::size_t i, const OfRank& own, NodeTable& t) const;
  void add_tensors(const StageBody& body, std::size_t i, NodeTable& t) const;
  void add_call(const BodyNode& n, const OfRank& own, NodeTable& t) const;

  Workload workload_;
  PlanGroups groups_;
  std::vector<StageBody> bodies_;  // by stage and role
  std::string settings_;           // the workload as YAML, for metadata
};

}  // namespace convert
