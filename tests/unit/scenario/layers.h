// SPDX-License-Identifier: MIT
// Makes traces of a training and loads them for a replay with settings.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "generate/generate.h"
#include "generate/trace_builder.h"
#include "scenario/scenario.h"

namespace convert::test {

using SettingList = std::vector<std::pair<std::string, std::string>>;  // keys and values

// `comm`: collectives of each layer, "all_reduce:1MiB,all_gather:64KiB".
inline std::vector<Trace> layers(Rank npus, const std::string& comm, std::int64_t count = 2) {
  GenerateRequest request{.kind = "layers", .ranks = npus, .compute_ns = 40'000, .layers = count};
  std::istringstream in(comm);
  for (std::string one; std::getline(in, one, ',');) request.comm.push_back(parse_generated_collective(one));
  const MakeTrace make = trace_generator(request);
  std::vector<Trace> traces;
  for (Rank r = 0; r < npus; ++r) traces.push_back(make(r));
  return traces;
}

// `prepare` changes the scenario before the traces are compiled.
template <class Prepare>
LoadedReplay load(const std::vector<Trace>& traces, const SettingList& list, const Prepare& prepare) {
  RunSettings settings{.workload = "w"};
  for (const auto& [key, value] : list) settings.set(key, value);
  Scenario scenario = make_scenario(settings);
  check_scenario(scenario);
  prepare(scenario);
  Diagnostics diagnostics;
  LoadedReplay loaded = load_replay(traces, scenario, 1, diagnostics);
  EXPECT_TRUE(loaded.program) << (diagnostics.all().empty() ? "" : diagnostics.all().front().message);
  return loaded;
}

}  // namespace convert::test
