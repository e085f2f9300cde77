// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include <optional>

#include "analyze/runs/use.h"
#include "common/text.h"
#include "config/network/network.h"
#include "config/workload/metadata.h"
#include "core/run/group_names.h"
#include "generate/workload/workload.h"
#include "sets/runs.h"
#include "util/text_table.h"

namespace tools {

using namespace convert;

namespace {

// Returns the purpose of each group of a workload, in the terms of its plan: "tp", "dpcp".
GroupNames kinds_of_groups(const WorkloadSet& set) {
  GroupNames names;
  const Workload& w = set.workload();
  const PlanGroups groups(w.plan, w.model.experts > 0, w.step.trains());
  for (Rank r = 0; r < set.ranks(); ++r) {
    for (std::size_t k = 0; k < group_kind_names.size(); ++k) {
      const auto kind = static_cast<GroupKind>(k);
      if (groups.size(kind) > 1 && groups.has(kind, groups.place(r).stage))
        names.try_emplace(groups.id(kind, r), name(kind));
    }
  }
  return names;
}

void tell_workload(const WorkloadSet& set, Run& about) {
  WideCount operations = 0;
  for (std::int64_t c = 0; c < set.classes(); ++c)
    operations += set.figures(c).operations * static_cast<WideCount>(set.ranks_of_class(c));
  const auto& times = set.workload().times;
  tell_use(about, format_wide(operations), times.given() ? times.peak_tflops * 1e12 : 0);
  add_group_names(kinds_of_groups(set), about);
}

// Records the operations that the roofline of the system has counted.
void tell_roofline(const Scenario& scenario, const ReplayResult& result, Run& about) {
  const double peak = scenario.options.system->config.peak_flops;
  double busy_ps = 0;  // at the peak
  for (const NpuResult& npu : result.npus) busy_ps += npu.roofline ? npu.roofline->compute_utilisation : 0;
  if (busy_ps > 0 && peak > 0) tell_use(about, format_fixed(busy_ps / 1e12 * peak, 0), peak);
}

}  // namespace

Run about_run(const std::string& workload, const Scenario& scenario, const std::vector<std::string>& files,
              const TraceSource& traces, const ReplayResult& result, const Context& context) {
  Run about;
  about.title = workload == "-" ? "stdin" : base_name(workload);
  about.settings.push_back({"command", context.history()});
  const std::string& network = scenario.network.source;
  about.settings.push_back({"network", is_short_network(network) ? network : base_name(network)});
  if (scenario.options.system)
    about.settings.push_back({"system", base_name(scenario.options.system->config.source)});
  std::vector<std::string> all = files;
  if (workload == "-") all.push_back(workload);  // also if no operand names it
  about.inputs = hashes_of(all);
  add_group_names(traces.group_names(), about);
  const std::optional<Metadata> metadata = traces.metadata();
  const auto told = metadata ? told_workload(*metadata, traces.base_name()) : std::nullopt;
  if (told && told->plan.ranks() == static_cast<std::int64_t>(result.npus.size())) {
    tell_workload(WorkloadSet(*told), about);
  } else {
    tell_roofline(scenario, result, about);
  }
  return about;
}

}  // namespace tools
