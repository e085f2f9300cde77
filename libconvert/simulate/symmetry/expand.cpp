// SPDX-License-Identifier: MIT
#include "simulate/symmetry/expand.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace convert {
namespace {

// Finds the collectives of the groups for which those of representatives stand.
class Collectives {
 public:
  Collectives(const ReplayProgram& program, const Equivalence& equivalence)
      : program_(program), equivalence_(equivalence) {}

  void add(const CalledCollective& called, const std::vector<Caller>& first_callers) {
    const std::uint32_t group = program_.plans[called.run.plan].call.group;
    const std::vector<std::uint32_t>& images = equivalence_.group_images[group];
    if (images.empty()) all_.push_back(called);
    for (const std::uint32_t image : images) {
      CalledCollective& c = all_.emplace_back(called);
      const Caller first = first_of(image, first_callers);
      c.run.first_npu = first.npu;
      c.run.first_op = first.op;
      c.run.plan = plan_of(called.run.plan, image);
    }
  }
  [[nodiscard]] std::vector<CalledCollective> take() { return std::move(all_); }

 private:
  [[nodiscard]] Caller first_of(std::uint32_t group, const std::vector<Caller>& callers) const {
    for (const auto& [r, place] : program_.groups[group].places) {
      const Rank representative = equivalence_.ranks.representative(r);
      const auto caller =
          std::find_if(callers.begin(), callers.end(), [&](const auto& c) { return c.npu == representative; });
      if (caller != callers.end()) return {r, caller->op};
    }
    return callers.front();
  }

  // Returns the same call of another group.
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
  const Equivalence& equivalence_;
  std::vector<CalledCollective> all_;
  std::map<Key, std::uint32_t> plans_;
};

}  // namespace

ReplayOutcome expand(ReplayOutcome reduced, const FirstCallers& first_callers, const Equivalence& equivalence,
                     const ReplayProgram& program) {
  ReplayOutcome all{.result = std::move(reduced.result), .called = {}};
  std::vector<NpuResult> npus(program.ranks.size());
  for (Rank r = 0; r < npus.size(); ++r) npus[r] = all.result.npus[equivalence.ranks.representative(r)];
  all.result.npus = std::move(npus);
  all.result.classes = equivalence.ranks.classes();
  Collectives collectives(program, equivalence);
  for (std::size_t run = 0; run < reduced.called.size(); ++run)
    collectives.add(reduced.called[run], first_callers[run]);
  all.called = collectives.take();
  return all;
}

}  // namespace convert
