// SPDX-License-Identifier: MIT
#include "simulate/system/whole_rings.h"

#include <algorithm>

namespace convert {
namespace {

// Returns whether the phase can be run as a whole: a ring in which what a member ends with comes from all of them,
// so that none ends before all have begun.
bool is_whole(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::ring && p.steps >= p.members - std::uint64_t{1};
}

bool has_whole_phases(const CollectivePlan& plan) {
  return plan.call.custom == 0 && std::ranges::all_of(plan.orders, [](const std::vector<PhasePlan>& order) {
           return std::ranges::all_of(order, is_whole);
         });
}

}  // namespace

bool can_run_whole_rings(const CommonProgram& program) {
  const ReplayOptions& options = program.options;
  return options.whole_rings && options.network.model == NetworkModel::unaware && !options.network.watch_ports &&
         !program.network.ideal && !program.model.shared_bus && !options.until && !options.explain &&
         !options.system->rendezvous && std::ranges::all_of(program.plans, has_whole_phases);
}

}  // namespace convert
