// SPDX-License-Identifier: MIT
#include "simulate/system/whole_rings.h"

#include <algorithm>

namespace convert {
namespace {

// Says whether all messages of the collective are of phases that are run as wholes.
bool is_all_whole(const CollectivePlan& plan) {
  return plan.call.custom == 0 && std::ranges::all_of(plan.orders, [](const std::vector<PhasePlan>& order) {
           return std::ranges::all_of(order, is_run_whole);
         });
}

}  // namespace

bool can_run_whole_rings(const CommonProgram& program) {
  const ReplayOptions& options = program.options;
  return options.whole_rings && options.network.model == NetworkModel::unaware && !options.network.watch_ports &&
         !program.network.ideal && !program.model.shared_bus && !options.until && !options.explain &&
         !options.system->rendezvous && std::ranges::all_of(program.plans, is_all_whole);
}

bool is_run_whole(const PhasePlan& p) {
  return p.algorithm == NativeAlgorithm::ring && p.steps >= p.members - std::uint64_t{1} && p.endpoint_delay > 0;
}

}  // namespace convert
