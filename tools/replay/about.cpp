// SPDX-License-Identifier: MIT
#include "replay/about.h"

#include <map>
#include <optional>
#include <string_view>

#include "analyze/runs/use.h"
#include "common/text.h"
#include "config/network/network.h"
#include "config/workload/metadata.h"
#include "core/run/group_names.h"
#include "generate/workload/workload.h"
#include "machine/chosen.h"
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

// Returns the number of nodes of a rank for each of its calls.
std::vector<std::uint64_t> nodes_by_call(const RankCode& code, std::size_t calls) {
  std::vector<std::uint64_t> nodes(calls);
  for (const Op& op : code.ops) {
    if (op.type == OpType::collective) ++nodes[op.channel];
  }
  return nodes;
}

// Words for the calls of an origin, after their number.
std::string_view words_of(CallSource source) {
  switch (source) {
    case CallSource::measured: return " measured";
    case CallSource::between: return " between measured numbers of ranks";
    case CallSource::beyond: return " beyond the measured sizes, ranks or nodes";
    case CallSource::model: return " by formulas alone";
    case CallSource::rescaled: return " by formulas for changed hardware";
  }
  return "";
}

}  // namespace

std::string sources_of_calls(const ReplayProgram& program) {
  std::map<const RankCode*, std::vector<std::uint64_t>> known;
  std::map<CallSource, std::uint64_t> counts;
  double time = 0;
  std::optional<double> error = 0;  // time x percent
  for (Rank r = 0; r < program.ranks.size(); ++r) {
    const RankProgram& rank = program.ranks[r];
    std::vector<std::uint64_t>& nodes = known[rank.code.get()];
    if (nodes.empty()) nodes = nodes_by_call(*rank.code, rank.plans.size());
    for (std::size_t i = 0; i < rank.plans.size(); ++i) {
      const CollectivePlan& plan = program.plans[rank.plans[i]];
      const SystemGroup& group = program.groups[plan.call.group];
      if (!plan.on_machine || group.rank(0) != r) continue;  // each call once
      const MachineCost& cost = plan.on_machine->cost;
      counts[cost.source] += nodes[i];
      const double npu_time = cost.time_ns * group.size(program.model) * static_cast<double>(nodes[i]);
      time += npu_time;
      error = error && cost.error_pct ? std::optional(*error + npu_time * *cost.error_pct) : std::nullopt;
    }
  }
  std::string out;
  for (const auto& [source, count] : counts)
    out += (out.empty() ? counted(count, "call") : ", " + std::to_string(count)) + std::string(words_of(source));
  if (out.empty()) out = "no calls with times of the machine";
  if (error && time > 0) out += "; expected error of their time ±" + format_fixed(*error / time, 1) + " %";
  return program.network.machine->machine().name + ": " + out;
}

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
