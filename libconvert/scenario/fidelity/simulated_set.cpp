// SPDX-License-Identifier: MIT
#include "scenario/fidelity/simulated_set.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/units.h"
#include "scenario/scenario.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/run.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Result of a replay of a set.
struct Simulated {
  RunOutline run{};
  std::vector<SentBytes> traffic{};
};

Simulated failed(const std::string& why) { return {.run = {.failure = why}}; }

Scenario scenario_on(const std::string& network, const SetSource& set) {
  RunSettings settings;
  settings.network = network;
  settings.workload = set.base_name();
  Scenario scenario = make_scenario(settings);
  add_groups(scenario, set.groups());
  check_scenario(scenario);
  scenario.options.traffic = true;
  return scenario;
}

double mean_exposed_ps(const ReplayResult& result) {
  double sum = 0;
  for (const NpuResult& npu : result.npus) sum += static_cast<double>(npu.exposed_communication_ps);
  return result.npus.empty() ? 0 : sum / static_cast<double>(result.npus.size());
}

Simulated run_on(const ReplayProgram& compiled, const Scenario& scenario, bool path) {
  ReplayProgram program = compiled;  // the tables of the ranks are shared
  program.network = scenario.network;
  program.options.network = scenario.options.network;
  program.options.timeline = path;
  if (path) program.options.explain = ExplainTarget{.end = true};
  program.options.most_npus_alone = most_recorded_alone;
  ReplayResult result = replay(program);
  if (result.status != ReplayStatus::complete)
    return failed(std::string(name(result.status)) + ": " + result_message(result));
  Simulated out{.run = {.span_ps = result.total_ps, .exposed_ps = mean_exposed_ps(result)}};
  for (const PairTraffic& t : result.traffic) out.traffic.push_back({t.src, t.dst, t.bytes});
  if (path) {
    result.kinds = collective_kinds(program);
    out.run.path = path_shares(make_run(result, &program));
  }
  return out;
}

std::string first_message(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return d.message;
  }
  return "the set cannot be replayed";
}

}  // namespace

std::vector<NetworksOfOneShape> networks_to_compare_on(Rank npus) {
  std::vector<NetworksOfOneShape> out;
  for (const char* topology : {"switch:", "ring:"}) {
    NetworksOfOneShape& shape = out.emplace_back();
    shape.path_on = 2;
    for (const char* bandwidth : {"25", "50", "100", "400"})
      shape.names.push_back(topology + std::to_string(npus) + ",bw=" + bandwidth + "GB/s,lat=500ns");
  }
  return out;
}

SimulatedRuns simulate_set(SetSource& set, const NetworksOfOneShape& networks, std::uint64_t nodes, unsigned jobs,
                           const Diagnostics& diagnostics) {
  SimulatedRuns out;
  const auto fail_all = [&](const std::string& why) {
    out.runs.assign(networks.names.size(), failed(why).run);
    return out;
  };
  const auto path = [&](std::size_t i) { return i == networks.path_on && nodes <= most_path_nodes; };
  const std::shared_ptr<Diagnostics> own = diagnostics.sibling();
  std::vector<Scenario> scenarios;
  std::optional<ReplayProgram> program;
  try {
    for (const std::string& network : networks.names) scenarios.push_back(scenario_on(network, set));
    const Scenario& first = scenarios.front();
    program = load_program(set, first.network, first.options, first.issue_by_trace, jobs, *own);
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::input) throw;
    return fail_all(with_place(e));
  }
  if (!program) return fail_all(first_message(*own));
  bool complete = true;
  for_each_ordered(
      jobs, networks.names.size(), [&](std::size_t i) { return run_on(*program, scenarios[i], path(i)); },
      [&](std::size_t i, Simulated&& one) {
        complete = complete && one.run.complete();
        if (i == 0) out.traffic = std::move(one.traffic);
        out.runs.push_back(std::move(one.run));
      });
  if (!complete) out.traffic.clear();
  return out;
}

}  // namespace convert
