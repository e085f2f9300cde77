// SPDX-License-Identifier: MIT
#include "replay/schedule.h"

#include "sets/schedules.h"

namespace tools {

using namespace convert;

Schedule schedule_of_run(std::span<const Trace> traces, const ReplayResult& result, const Scenario& scenario,
                         const std::string& name, Context& context) {
  const NetworkOptions& options = scenario.options.network;
  NetworkConfig used = scenario.network;
  if (!options.failed.empty()) {
    used.graph = build_wire_graph(scenario.network);
    erase_failed_wires(used.graph, options.failed);
  }
  const auto occupancy =
      options.occupancy == Occupancy::beta ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta;
  return schedule_of_replay(traces, result.timeline, used, occupancy, options.forwarding == Forwarding::store, name,
                            context.diagnostics);
}

}  // namespace tools
