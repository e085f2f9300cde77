// SPDX-License-Identifier: MIT
// The small training workloads of the corpus: with representatives for rank classes, all numbers equal a replay of
// every rank; also if rings are simulated as a whole.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <string>

#include "common/replay_numbers.h"
#include "corpus.h"
#include "scenario/scenario.h"
#include "sets/source.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

struct Count {
  int runs = 0;
  int symmetric = 0;
  int whole = 0;
};

void compare(const fs::path& set, const std::string& network, NetworkModel model, bool astra, Count& count) {
  SCOPED_TRACE(set.filename().string() + " on " + network + ", " + std::string(name(model)) +
               (astra ? ", astra" : ", none"));
  RunSettings settings;
  settings.workload = set.string();
  settings.network = network;
  settings.model = model;
  settings.astra = astra;
  const std::string path = set.string();
  settings.system.groups = path.substr(0, path.size() - std::string(".jsonl.gz").size()) + ".groups.json";
  const Scenario scenario = make_scenario(settings);
  Diagnostics diagnostics;
  TraceSource traces({.operands = {path}, .hash = false}, diagnostics);
  ASSERT_TRUE(prepare(traces, true, path));
  LoadedReplay loaded = load_replay(traces, scenario, 1, diagnostics);
  ASSERT_TRUE(loaded.program);
  ReplayOptions& options = loaded.program->options;
  const ReplayResult result = replay(*loaded.program);
  count.symmetric += result.equivalence != nullptr ? 1 : 0;
  options.symmetry = false;
  const ReplayResult every = replay(*loaded.program);
  count.whole += every.whole_rings ? 1 : 0;
  options.whole_rings = false;
  const std::string by_message = test::replay_numbers(*loaded.program, replay(*loaded.program));
  EXPECT_EQ(test::replay_numbers(*loaded.program, every), by_message);
  EXPECT_EQ(test::replay_numbers(*loaded.program, result), by_message);
  ++count.runs;
}

TEST(SymmetryCorpus, WorkloadsAreAsWithoutIt) {
  REQUIRE_CORPUS();
  Count count;
  for (const fs::path& set : corpus::files_of(corpus::root() / "workloads" / "sets", ".jsonl.gz")) {
    Diagnostics diagnostics;
    TraceSource source({.operands = {set.string()}, .hash = false}, diagnostics);
    ASSERT_TRUE(source.prepare(false));
    std::size_t npus = 0;
    source.for_each_trace(1, [&](const Trace&) { ++npus; });
    const std::string n = std::to_string(npus);
    const std::string half = std::to_string(npus / 2);
    const std::array<std::string, 4> networks = {
        "switch:" + n + ",bw=50GB/s,lat=1us", "ring:" + n + ",bw=50GB/s,lat=1us",
        "switch:" + half + ",bw=100GB/s,lat=300ns+switch:2,bw=33GB/s,lat=2us",
        "fully_connected:2,bw=100GB/s,lat=300ns+ring:" + half + ",bw=33GB/s,lat=2us"};
    for (const std::string& network : networks) {
      for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
        for (const bool astra : {false, true}) compare(set, network, model, astra, count);
      }
    }
  }
  std::cout << count.runs << " runs, " << count.symmetric << " with symmetry, " << count.whole
            << " with whole rings\n";
  EXPECT_EQ(count.runs, 408);
  EXPECT_GE(count.symmetric, 130);
  EXPECT_GE(count.whole, 3);
}

}  // namespace
}  // namespace convert
