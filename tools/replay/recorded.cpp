// SPDX-License-Identifier: MIT
#include "replay/recorded.h"

#include <string>
#include <utility>
#include <vector>

namespace tools {
namespace {

using Given = std::vector<std::pair<std::string, bool>>;

// What says how communication runs.
Given communication_options(const ReplayInputOptions& i, const ReplayOutputOptions& o) {
  return {{"-n", i.network.has_value()},
          {"--network-configuration", i.astra_network.has_value()},
          {"--network", i.model.has_value()},
          {"--occupancy", i.occupancy.has_value()},
          {"--forwarding", i.forwarding.has_value()},
          {"--routing", i.routing.has_value()},
          {"--fail", !i.failed.empty()},
          {"--collective", !i.collectives.empty()},
          {"--policy", i.policy.has_value()},
          {"--balanced", i.balanced},
          {"--groups", i.groups.has_value()},
          {"--comm-group-configuration", i.astra_groups.has_value()},
          {"--size", i.size.has_value()},
          {"--num-queues-per-dim", i.queues_per_dim.has_value()},
          {"--injection-scale", i.injection_scale.has_value()},
          {"--rendezvous-protocol", i.rendezvous.has_value()},
          {"--report " + o.report, o.report != "npus"},
          {"-t " + o.to.value_or(""), o.to.has_value()}};
}

// What says how the nodes of an NPU share it.
Given npu_options(const ReplayInputOptions& i, const ReplayOutputOptions& o) {
  return {{"--system", i.system.has_value()}, {"--system-configuration", i.astra_system.has_value()},
          {"--memory", i.memory.has_value()}, {"--remote-memory-configuration", i.astra_memory.has_value()},
          {"--compat", i.compat.has_value()}, {"--issue", i.issue.has_value()},
          {"--until", i.until.has_value()},   {"--no-symmetry", i.no_symmetry},
          {"--track-memory", o.track_memory}, {"--memory-trace", o.memory_trace.has_value()}};
}

void refuse(const Given& options, const std::string& with) {
  for (const auto& [name, given] : options) {
    if (given) throw convert::usage_error(name + " does not go together with " + with);
  }
}

}  // namespace

void check_recorded_options(const ReplayInputOptions& input, const ReplayOutputOptions& output, bool sweep) {
  if (!input.compute && !input.comm) return;
  const std::string with = input.all_recorded() ? "--compute recorded --comm recorded"
                           : input.comm         ? "--comm recorded"
                                                : "--compute recorded";
  if (sweep) throw convert::usage_error(with + " is for a single replay, not for a sweep");
  if (input.comm) refuse(communication_options(input, output), with);
  if (input.all_recorded()) refuse(npu_options(input, output), with);
}

}  // namespace tools
