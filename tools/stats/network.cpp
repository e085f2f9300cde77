// SPDX-License-Identifier: MIT
#include "stats/network.h"

#include <algorithm>
#include <utility>

#include "analyze/runs/sections.h"
#include "common/source.h"
#include "core/run.h"
#include "scenario/scenario.h"
#include "simulate/engine/replay.h"

namespace tools {

using namespace convert;

std::optional<Section> matrix_on_network(const StatsOptions& o, Context& context) {
  const std::vector<std::string> operands = inputs(o.input);
  if (std::ranges::find(operands, "-") != operands.end())
    throw usage_error("--network reads the input twice and cannot read standard input; name a file");
  RunSettings settings;
  settings.network = *o.network;
  settings.workload = operands.front();
  Scenario scenario = make_scenario(settings);
  TraceSource source(source_options(o.input, context), context.diagnostics);
  if (!prepare(source, true, operands.front()) || context.failed()) return std::nullopt;
  add_groups(scenario, source.groups());
  check_scenario(scenario);
  scenario.options.traffic = true;
  LoadedReplay loaded = load_replay(source, scenario, context.jobs(), context.diagnostics);
  if (!loaded || !loaded.program || context.failed()) return std::nullopt;
  const ReplayResult result = replay(*loaded.program);
  Run run;
  for (const PairTraffic& t : result.traffic) run.matrix.push_back({t.src, t.dst, t.bytes, t.messages});
  Section s = traffic_section(run, {});
  s.notes = {"collectives use their native algorithms on " + *o.network};
  if (result.status != ReplayStatus::complete)
    s.notes.emplace_back("the replay does not end, so the matrix is incomplete; et-replay -n " + *o.network +
                         " reports the reason");
  return s;
}

}  // namespace tools
