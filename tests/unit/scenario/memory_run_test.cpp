// SPDX-License-Identifier: MIT
// One replay writes a memory trace and a run with the same samples.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "common/scratch.h"
#include "scenario/scenario.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/memory_trace.h"
#include "simulate/report/run.h"

namespace convert {
namespace {

using Sample = std::tuple<Rank, Picoseconds, std::int64_t>;

std::string node(Rank rank, int id, int us, const std::string& parents, const std::string& inputs,
                 const std::string& outputs) {
  return "{\"rank\":" + std::to_string(rank) + ",\"id\":" + std::to_string(id) +
         ",\"type\":\"COMP_NODE\",\"name\":\"n\",\"duration_micros\":" + std::to_string(us) + ",\"data_deps\":[" +
         parents + "],\"attr\":[{\"name\":\"is_cpu_op\",\"bool_val\":false},{\"name\":\"inputs\",\"string_list\":" +
         "{\"values\":[" + inputs + "]}},{\"name\":\"outputs\",\"string_list\":{\"values\":[" + outputs + "]}}]}\n";
}

TEST(MemoryRun, HasTheSamplesOfTheTrace) {
  std::string text;
  for (Rank r = 0; r < 3; ++r) {
    const int us = 10 + 7 * static_cast<int>(r);
    text += "{\"rank\":" + std::to_string(r) + ",\"metadata\":{\"version\":\"0.0.4\"}}\n";
    text += node(r, 0, us, "", "\"w\",\"524288\"", "\"a\",\"1048576\"");
    text += node(r, 1, 20, "0", "\"a\",\"1048576\"", "\"b\",\"2097153\"");
    text += node(r, 2, 30, "1", "\"b\",\"2097153\",\"w\",\"524288\"", "\"c\",\"262144\"");
  }
  const test::Scratch scratch;
  const std::string file = scratch.write("w.jsonl", text);
  RunSettings settings{.workload = file};
  settings.set("network", "ring:3,bw=10GB/s,lat=1us");
  Scenario scenario = make_scenario(settings);
  scenario.options.memory = MemoryTracking::trace;
  want_run(scenario.options);
  Diagnostics diagnostics;
  TraceSource source({.operands = {file}, .hash = false}, diagnostics);
  const LoadedReplay loaded = load_replay(source, scenario, 1, diagnostics);
  ASSERT_TRUE(loaded.program);
  ReplayResult result = replay(*loaded.program);
  result.kinds = collective_kinds(*loaded.program);

  std::vector<Sample> of_trace;
  for (Rank r = 0; r < 3; ++r) {
    std::string trace;
    write_memory_trace(*loaded.program, result, r, [&](std::string_view piece) { trace += piece; });
    const std::regex counter(R"re("ph":"C","ts":([0-9.]+),"pid":(\d+),"args":\{"Memory_MB":([0-9.e+-]+)\})re");
    for (auto at = std::sregex_iterator(trace.begin(), trace.end(), counter); at != std::sregex_iterator(); ++at) {
      EXPECT_EQ(std::stoull((*at)[2]), 2'000'000 + r);
      of_trace.emplace_back(r, std::llround(std::stod((*at)[1]) * 1e6),
                            std::llround(std::stod((*at)[3]) * 1024 * 1024));
    }
  }
  const convert::Run run = make_run(result, &*loaded.program);
  std::vector<Sample> of_run;
  for (const convert::Run::Memory& m : run.memory) of_run.emplace_back(m.npu, m.time_ps, m.bytes);
  EXPECT_EQ(of_run.size(), 12U);
  EXPECT_EQ(of_run, of_trace);
}

}  // namespace
}  // namespace convert
