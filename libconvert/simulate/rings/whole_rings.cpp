// SPDX-License-Identifier: MIT
#include "simulate/rings/whole_rings.h"

#include <algorithm>

namespace convert {
namespace {

// Returns whether the phase can be run as a whole: a ring in which the result of each member depends on all
// members, so that no member ends before all have begun.
bool is_whole(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::ring && p.steps >= p.members - std::uint64_t{1};
}

bool has_whole_phases(const CollectivePlan& plan) {
  return plan.call.custom == 0 && plan.call.parts == 0 &&
         std::ranges::all_of(
             plan.orders, [](const std::vector<PhasePlan>& order) { return std::ranges::all_of(order, is_whole); });
}

// Returns whether the rings of the chunks run all at once, or one after the other.
bool follow_each_other(const CollectivePlan& plan, const SystemModel& model) {
  return plan.phases(0).size() == 1 && (plan.chunks <= model.active_chunks || model.active_chunks == 1);
}

bool can_skip_events(const CommonProgram& program) {
  const ReplayOptions& options = program.options;
  return options.whole_rings && !program.network.ideal && !program.model.shared_bus && !options.until &&
         !options.explain && !options.system->rendezvous;
}

}  // namespace

bool can_run_whole_rings(const CommonProgram& program) {
  const NetworkOptions& network = program.options.network;
  return network.model == NetworkModel::unaware && !network.watch_ports && can_skip_events(program) &&
         std::ranges::all_of(program.plans, has_whole_phases);
}

bool may_run_on_lanes(const LinkedProgram& program) {
  const NetworkOptions& network = program.options.network;
  const SystemModel& model = program.model;
  const auto fits = [&](const CollectivePlan& plan) {
    return has_whole_phases(plan) && plan.order_of.empty() && (plan.chunks <= 1 || follow_each_other(plan, model));
  };
  return network.model != NetworkModel::unaware && !network.count_wires && can_skip_events(program) &&
         !model.rules.parts_are_equal() && model.policy == WirePolicy::arrival && program.channels.empty() &&
         !program.plans.empty() && std::ranges::all_of(program.plans, fits);
}

std::uint32_t rings_at_once(const CollectivePlan& plan, const SystemModel& model) {
  return plan.chunks <= model.active_chunks ? static_cast<std::uint32_t>(plan.chunks) : 1;
}

}  // namespace convert
