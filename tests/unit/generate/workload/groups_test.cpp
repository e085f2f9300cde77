// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "small_workload.h"

namespace convert {
namespace {

// Stock ASTRA-sim hangs on a collective of all ranks without a group, or with group "0", after unequal numbers of
// chunks of groups, and reads only groups with ids above 0. So each collective names a group of its stage, and all
// its members call it equally often.
void check_groups(const WorkloadSet& set, const PlanGroups& groups) {
  std::map<GroupKind, std::map<std::int64_t, std::uint64_t>> calls;  // of each class
  for (std::int64_t c = 0; c < set.classes(); ++c) {
    const StageFigures f = set.figures(c);
    for (const auto& [key, n] : f.calls) {
      EXPECT_TRUE(groups.has(key.second, set.stage_of_class(c)));
      EXPECT_GE(groups.id(key.second, f.first_rank), 1);
      EXPECT_LE(groups.id(key.second, f.first_rank), groups.count());
      calls[key.second][c] += n.count;
    }
  }
  for (const auto& [kind, of_class] : calls) {
    if (kind != GroupKind::world && kind != GroupKind::embedding) continue;  // the others are within one stage
    for (const auto& [c, n] : of_class) EXPECT_EQ(n, of_class.begin()->second) << name(kind);
    if (kind != GroupKind::world) continue;
    EXPECT_EQ(static_cast<std::int64_t>(of_class.size()), set.classes());
    EXPECT_EQ(groups.id(kind, 0), groups.count()) << "the last of all, and no other's";
  }
}

TEST(PlanGroups, OfAllPresetsAreThoseThatAstraSimRuns) {
  int plans = 0;
  for (const std::string& preset : workload_presets()) {
    for (const PlanName& plan : preset_plans(preset)) {
      SCOPED_TRACE(preset + " " + plan.name);
      const Workload w = resolve_workload({.preset = preset, .plan = plan.name});
      EXPECT_EQ(w.plan.ranks(), plan.npus);
      if (w.kind != ModelKind::transformer) continue;
      check_groups(WorkloadSet(w), PlanGroups(w.plan, w.model.experts > 0));
      ++plans;
    }
  }
  EXPECT_GE(plans, 12);
}

TEST(PlanGroups, DimensionsAreThoseOfTheSizesOfSeveralRanks) {
  using Dims = std::vector<std::int64_t>;
  const PlanGroups four({.tensor = 2, .context = 2, .data = 2, .pipeline = 2}, false);
  EXPECT_EQ(four.dimensions(GroupKind::tensor), (Dims{1, 0, 0, 0}));
  EXPECT_EQ(four.dimensions(GroupKind::context), (Dims{0, 1, 0, 0}));
  EXPECT_EQ(four.dimensions(GroupKind::data), (Dims{0, 1, 1, 0}));
  EXPECT_EQ(four.dimensions(GroupKind::expert_data), (Dims{1, 1, 1, 0}));
  EXPECT_EQ(four.dimensions(GroupKind::embedding), (Dims{0, 0, 0, 1}));
  EXPECT_EQ(four.dimensions(GroupKind::world), (Dims{1, 1, 1, 1}));
  EXPECT_EQ(PlanGroups({.tensor = 4, .data = 4}, false).dimensions(GroupKind::data), (Dims{0, 1}));
  EXPECT_EQ(PlanGroups({.data = 4}, false).dimensions(GroupKind::data), (Dims{1}));
}

}  // namespace
}  // namespace convert
