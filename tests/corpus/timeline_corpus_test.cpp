// SPDX-License-Identifier: MIT
// Timelines of an established visualiser, and the critical paths of recorded PyTorch traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "corpus.h"
#include "sets/runs.h"

namespace convert {
namespace {

convert::Run run_of(const std::vector<std::string>& operands, const std::string& from) {
  Diagnostics diagnostics;
  SourceOptions options{.operands = operands, .hash = false};
  if (!from.empty()) options.from = from;
  std::vector<convert::Run> runs = load_runs(options, 1, diagnostics);
  EXPECT_EQ(runs.size(), 1U);
  return std::move(runs.at(0));
}

using Row = std::tuple<Rank, std::string, Picoseconds, Picoseconds, Lane>;
std::vector<Row> rows(const convert::Run& run) {
  std::vector<Row> out;
  for (const Slice& s : run.timeline.slices) {
    if (!s.open) out.emplace_back(s.rank, std::string(run.timeline.name(s)), s.begin_ps, s.end_ps, s.lane);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(TimelineCorpus, ChakrasCsvHasTheSlicesOfItsVisualiser) {
  REQUIRE_CORPUS();
  const std::string folder = (corpus::root() / "timeline").string();
  const convert::Run ours = run_of({folder + "/timeline.csv"}, "");
  const convert::Run expected = run_of({folder + "/expected/timeline.json"}, "chrome,unit=ms");
  EXPECT_GT(rows(ours).size(), 20U);
  EXPECT_EQ(rows(ours), rows(expected));
}

void check_path(const convert::Run& run, const std::string& name) {
  Picoseconds at = 0;
  for (const convert::Run::Step& s : run.path) {
    EXPECT_EQ(s.begin_ps, at) << name;
    at += s.time_ps;
  }
  EXPECT_EQ(at, run.total_ps) << name;
  EXPECT_GT(run.total_ps, 0) << name;
  Picoseconds last = 0;
  for (const Slice& s : run.timeline.slices) last = std::max(last, s.end_ps);
  EXPECT_EQ(last, run.total_ps) << name;
}

TEST(TimelineCorpus, PathsOfRecordedTracesAddUp) {
  REQUIRE_CORPUS();
  const std::string root = (corpus::root() / "pytorch").string();
  const std::string inputs = root + "/inputs/";
  for (const auto& [host, device] : std::vector<std::pair<std::string, std::string>>{
           {root + "/real/linear_et.json.gz", root + "/real/linear_kineto.json.gz"},
           {root + "/real/resnet_et.json.gz", root + "/real/resnet_kineto.json.gz"},
           {inputs + "derived_amd_mi250/host_0.json", inputs + "derived_amd_mi250/kineto_0.json.gz"},
           {inputs + "derived_triton/host_0.json", inputs + "derived_triton/kineto_0.json"},
           {inputs + "derived_event_sync_ms/host_0.json", inputs + "derived_event_sync_ms/kineto_0.json"},
           {inputs + "derived_nccl2rank/host_0.json.gz", inputs + "derived_nccl2rank/kineto_0.json.gz"}}) {
    check_path(run_of({host}, "pytorch,mismatched=yes,device=" + device), host);
    check_path(run_of({device}, "kineto"), device);
    const convert::Run plain = run_of({device}, "chrome");
    EXPECT_FALSE(plain.timeline.slices.empty()) << device;
  }
}

// Four ranks with collectives, as one set.
TEST(TimelineCorpus, RanksOfASetAreOneRun) {
  REQUIRE_CORPUS();
  std::vector<std::string> devices;
  for (const char* rank : {"0", "1", "2", "3"})
    devices.push_back((corpus::root() / "pytorch/inputs/syn_4rank/kineto_").string() + rank + ".json.gz");
  const convert::Run run = run_of(devices, "kineto");
  check_path(run, "syn_4rank");
  EXPECT_EQ(run.npus.size(), 4U);
  EXPECT_GT(run.calls.size(), 10U);
  EXPECT_TRUE(std::any_of(run.calls.begin(), run.calls.end(), [](const auto& c) { return c.npus == 4; }));
}

}  // namespace
}  // namespace convert
