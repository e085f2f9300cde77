// SPDX-License-Identifier: MIT
// Collective calls on a machine: their times, and the shares of ports and adapters that they use.
#include <algorithm>
#include <bit>
#include <set>

#include "core/diagnostic.h"
#include "machine/call_time.h"
#include "machine/chosen.h"
#include "simulate/program/builder.h"

namespace convert {

CallOnMachine call_on_machine(const Machine& machine, const MachineCall& call, const MachineCost& cost) {
  const double work_ns = std::max(0.0, cost.time_ns - cost.latency_ns);
  const auto share = [&](double bytes, double capacity) {
    return bytes > 0 && work_ns > 0 ? std::min(1.0, bytes / (work_ns * capacity)) : 0;
  };
  const CallTraffic moved = traffic(call, cost.algorithm.method);
  const Picoseconds latency = round_to_ps(cost.latency_ns);
  return {.flow = {.latency = latency,
                   .work = round_to_ps(cost.time_ns) - latency,
                   .port_use = share(moved.port, port_capacity(machine)),
                   .adapter_use = share(moved.adapter, adapter_capacity(machine))},
          .nodes = call.nodes,
          .cost = cost};
}

std::uint32_t ReplayBuilder::State::machine_nodes_of(std::uint32_t group) {
  nodes_of_groups.resize(program.groups.size());
  std::uint32_t& known = nodes_of_groups[group];
  if (known != 0) return known;
  const std::uint32_t gpus = program.network.machine->machine().node.gpus;
  const SystemGroup& g = program.groups[group];
  if (g.ranks.empty()) return known = (program.model.npus + gpus - 1) / gpus;
  std::set<std::uint32_t> nodes;
  for (const Rank r : g.ranks) nodes.insert(r / gpus);
  return known = static_cast<std::uint32_t>(nodes.size());
}

CollectivePlan ReplayBuilder::State::plan_on_machine(const CollectiveCall& call) {
  if (call.group == 0 && static_cast<std::size_t>(std::countr_one(call.dims)) < program.network.dims.size()) {
    throw input_error({},
                      "the collective involves only some dimensions (involved_dim), but a machine has groups only",
                      "attributes");
  }
  const ChosenMachine& chosen = *program.network.machine;
  const std::uint32_t ranks = program.groups[call.group].size(program.model);
  const MachineCall on_machine{call.op, ranks, machine_nodes_of(call.group),
                               static_cast<double>(larger_buffer(program.model, call, ranks))};
  return {.call = call, .on_machine = call_on_machine(chosen.machine(), on_machine, chosen.cost(on_machine))};
}

Picoseconds program_launch(const CommonProgram& program) {
  const auto& machine = program.network.machine;
  return machine == nullptr ? 0 : round_to_ps(machine->machine().library.program.launch_ns);
}

}  // namespace convert
