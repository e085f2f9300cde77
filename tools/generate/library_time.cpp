// SPDX-License-Identifier: MIT
#include "generate/library_time.h"

#include <optional>
#include <set>

#include "config/network/wire_graph.h"
#include "machine/chosen.h"
#include "scenario/synthesized/judged_builders.h"

namespace tools {

using namespace convert;

namespace {

// Returns the number of nodes that have a participant.
std::uint32_t nodes_of_group(const NetworkConfig& network, const SynthesisRequest& request) {
  const std::uint32_t gpus = network.machine->machine().node.gpus;
  if (!request.group) return static_cast<std::uint32_t>(network.npus()) / gpus;
  std::set<std::uint32_t> nodes;
  for (const Rank r : *request.group) nodes.insert(r / gpus);
  return static_cast<std::uint32_t>(nodes.size());
}

}  // namespace

void compare_with_library(const NetworkConfig& network, const SynthesisRequest& request, std::uint32_t npus,
                          const Algorithm& algorithm, TimedCall& call) {
  const MachineCost cost = network.machine->cost({.collective = request.collective,
                                                  .ranks = npus,
                                                  .nodes = nodes_of_group(network, request),
                                                  .bytes = static_cast<double>(call.bytes)});
  call.library = round_to_ps(cost.time_ns);
  if (algorithm.ranks() != network.npus()) return;
  const auto bytes = algorithm.scheduled ? std::nullopt : std::optional(call.bytes);
  call.time = time_on_machine(network, algorithm, bytes).value_or(call.time);
}

}  // namespace tools
