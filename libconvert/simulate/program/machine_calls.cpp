// SPDX-License-Identifier: MIT
// Collective calls on a machine: their times, and the shares of ports and adapters that they use.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/collective.h"
#include "core/diagnostic.h"
#include "machine/call_time.h"
#include "machine/chosen.h"
#include "simulate/program/builder.h"

namespace convert {
namespace {

// Returns the call's bytes as nccl-tests counts them: the larger buffer of a rank.
double bytes_of_call(const CollectiveCall& call, std::uint32_t ranks, const SystemModel& model) {
  if (!states_part(call.op)) return static_cast<double>(call.bytes);
  if (call.parts == 0) return static_cast<double>(call.bytes) * ranks;
  double sum = 0;
  for (const std::int64_t part : model.parts[call.parts - 1]) sum += static_cast<double>(part);
  return sum;
}

}  // namespace

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
                               bytes_of_call(call, ranks, program.model)};
  const MachineCost cost = chosen.cost(on_machine);
  const double work_ns = std::max(0.0, cost.time_ns - cost.latency_ns);
  constexpr double limit_ns = 9.2e15;
  if (!(cost.time_ns < limit_ns)) throw input_error({}, "the collective takes more than 106 days", "machine");
  const auto to_ps = [](double ns) { return static_cast<Picoseconds>(std::llround(ns * ps_per_ns)); };
  const auto share = [&](double bytes, double capacity) {
    return bytes > 0 && work_ns > 0 ? std::min(1.0, bytes / (work_ns * capacity)) : 0;
  };
  const CallTraffic moved = traffic(on_machine, cost.algorithm.method);
  const Picoseconds latency = to_ps(cost.latency_ns);
  return {
      .call = call,
      .on_machine = CallOnMachine{.flow = {.latency = latency,
                                           .work = to_ps(cost.time_ns) - latency,
                                           .port_use = share(moved.port, port_capacity(chosen.machine())),
                                           .adapter_use = share(moved.adapter, adapter_capacity(chosen.machine()))},
                                  .nodes = on_machine.nodes,
                                  .cost = cost}};
}

}  // namespace convert
