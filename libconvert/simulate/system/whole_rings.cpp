// SPDX-License-Identifier: MIT
#include "simulate/system/whole_rings.h"

#include <cstdint>

namespace convert {

bool can_run_whole_rings(const CommonProgram& program) {
  const ReplayOptions& options = program.options;
  return options.whole_rings && options.network.model == NetworkModel::unaware && !options.network.watch_ports &&
         !program.network.ideal && !program.model.shared_bus && !options.until && !options.explain &&
         !options.system->rendezvous;
}

bool is_run_whole(const PhasePlan& p) {
  constexpr std::uint64_t worth_it = 3;
  return p.algorithm == NativeAlgorithm::ring && p.steps >= worth_it && p.steps >= p.members - std::uint64_t{1};
}

}  // namespace convert
