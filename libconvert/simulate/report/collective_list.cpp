// SPDX-License-Identifier: MIT
#include "simulate/report/collective_list.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace convert {
namespace {

class Lister {
 public:
  Lister(const ReplayProgram& program, const SystemLayer& system, const CollectiveExposure& exposure,
         const Equivalence* equivalence)
      : program_(program), system_(system), exposure_(exposure), equivalence_(equivalence) {}

  std::vector<CollectiveResult> run() {
    for (std::size_t run = 0; run < system_.runs().size(); ++run) add(run);
    std::stable_sort(list_.begin(), list_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.result.begin_ps, a.result.first_npu, a.op) <
             std::tie(b.result.begin_ps, b.result.first_npu, b.op);
    });
    std::vector<CollectiveResult> results;
    for (const Entry& e : list_) results.push_back(e.result);
    return results;
  }

 private:
  struct Entry {
    CollectiveResult result;
    std::uint32_t op;  // of the first NPU
  };

  void add(std::size_t number) {
    const CollectiveRun& run = system_.runs()[number];
    const std::uint32_t group = program_.plans[run.call].call.group;
    const bool ended = run.ended == members(group);
    const bool has_images = equivalence_ != nullptr && !equivalence_->group_images[group].empty();
    if (!has_images) return add(number, group, {run.first_npu, run.first_op}, ended);
    for (const std::uint32_t image : equivalence_->group_images[group])
      add(number, image, first_of(image, system_.first_callers(number)), ended);
  }

  void add(std::size_t number, std::uint32_t group, const SystemLayer::Caller& first, bool ended) {
    const CollectiveRun& run = system_.runs()[number];
    const std::uint32_t npus = program_.groups[group].size(program_.model);
    const Rank r = equivalence_ == nullptr ? first.npu : equivalence_->ranks.representative(first.npu);
    list_.push_back({{.group = program_.groups[group].id,
                      .number = run.number,
                      .plan = plan_of(run.call, group),
                      .npus = npus,
                      .first_npu = first.npu,
                      .first_node = program_.ranks[r].code->id(first.op),
                      .begin_ps = run.begin,
                      .last_begin_ps = run.last_begin,
                      .end_ps = ended ? std::optional(run.end) : std::nullopt,
                      .exposed_mean_ps = ended ? exposure_.mean(number, npus) : 0,
                      .exposed_max_ps = ended ? exposure_.max(number) : 0},
                     first.op});
  }

  // Those that are simulated.
  std::uint32_t members(std::uint32_t group) {
    const SystemGroup& g = program_.groups[group];
    if (equivalence_ == nullptr) return g.size(program_.model);
    members_.resize(program_.groups.size());
    if (members_[group] == 0) {
      for (Rank r = 0; r < program_.ranks.size(); ++r) {
        if (program_.ranks[r].code != nullptr && g.place(r) < g.size(program_.model)) ++members_[group];
      }
    }
    return members_[group];
  }

  [[nodiscard]] SystemLayer::Caller first_of(std::uint32_t group,
                                             const std::vector<SystemLayer::Caller>& callers) const {
    for (const auto& [r, place] : program_.groups[group].places) {
      const Rank representative = equivalence_->ranks.representative(r);
      const auto caller =
          std::find_if(callers.begin(), callers.end(), [&](const auto& c) { return c.npu == representative; });
      if (caller != callers.end()) return {r, caller->op};
    }
    return callers.front();
  }

  // The same call of another group.
  std::uint32_t plan_of(std::uint32_t plan, std::uint32_t group) {
    if (program_.plans[plan].call.group == group) return plan;
    if (plans_.empty()) {
      for (std::uint32_t p = 0; p < program_.plans.size(); ++p) {
        for (const bool same_source : {true, false})
          plans_.emplace(key(program_.plans[p].call, program_.plans[p].call.group, same_source), p);
      }
    }
    const CollectiveCall& call = program_.plans[plan].call;
    const auto same = plans_.find(key(call, group, true));
    return same != plans_.end() ? same->second : plans_.at(key(call, group, false));
  }
  using Key = std::tuple<std::uint32_t, Collective, std::int64_t, std::uint64_t, bool, std::uint32_t, std::uint32_t,
                         std::int32_t, std::string>;
  // Equivalent groups may run the same algorithm from different files.
  [[nodiscard]] Key key(const CollectiveCall& c, std::uint32_t group, bool with_source) const {
    return {group,  c.op,          c.bytes,
            c.dims, c.custom != 0, c.list,
            c.root, c.priority,    with_source && c.custom != 0 ? program_.customs[c.custom - 1].source : ""};
  }

  const ReplayProgram& program_;
  const SystemLayer& system_;
  const CollectiveExposure& exposure_;
  const Equivalence* equivalence_;
  std::vector<Entry> list_;
  std::vector<std::uint32_t> members_;  // by group
  std::map<Key, std::uint32_t> plans_;
};

}  // namespace

std::vector<CollectiveResult> list_collectives(const ReplayProgram& program, const SystemLayer& system,
                                               const CollectiveExposure& exposure, const Equivalence* equivalence) {
  return Lister(program, system, exposure, equivalence).run();
}

}  // namespace convert
