// SPDX-License-Identifier: MIT
// Findings about recorded PyTorch traces, compared with independent sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings.h"
#include "corpus.h"
#include "sets/runs.h"

namespace convert {
namespace {

std::vector<std::pair<std::string, std::string>> pairs() {
  const std::string root = (corpus::root() / "pytorch").string();
  const std::string inputs = root + "/inputs/";
  return {{root + "/real/linear_et.json.gz", root + "/real/linear_kineto.json.gz"},
          {inputs + "derived_amd_mi250/host_0.json", inputs + "derived_amd_mi250/kineto_0.json.gz"},
          {inputs + "derived_triton/host_0.json", inputs + "derived_triton/kineto_0.json"},
          {inputs + "derived_event_sync_ms/host_0.json", inputs + "derived_event_sync_ms/kineto_0.json"},
          {inputs + "derived_nccl2rank/host_0.json.gz", inputs + "derived_nccl2rank/kineto_0.json.gz"}};
}

convert::Run recorded_run(const std::string& operand, const std::string& from) {
  Diagnostics diagnostics;
  std::vector<convert::Run> runs = load_runs({.operands = {operand}, .from = from, .hash = false}, 1, diagnostics);
  EXPECT_EQ(runs.size(), 1U);
  return std::move(runs.at(0));
}

// Times of the only NPU, from a sweep over begins and ends.
struct Swept {
  Picoseconds exposed = 0;  // communication without computing
  Picoseconds nothing = 0;  // nothing active
};
Swept sweep(const convert::Run& run) {
  std::map<Picoseconds, std::array<int, 3>> changes;  // computing, communication, any
  changes[0];
  changes[run.total_ps];
  for (const Slice& s : run.timeline.slices) {
    for (const auto& [at, step] : {std::pair(s.begin_ps, 1), std::pair(s.end_ps, -1)}) {
      if (s.lane == Lane::compute) changes[at][0] += step;
      if (communicates(s.lane)) changes[at][1] += step;
      changes[at][2] += step;
    }
  }
  Swept swept;
  std::array<int, 3> active{};
  for (auto c = changes.begin(); std::next(c) != changes.end(); ++c) {
    for (std::size_t i = 0; i < active.size(); ++i) active.at(i) += c->second.at(i);
    const Picoseconds time = std::next(c)->first - c->first;
    if (active[1] > 0 && active[0] == 0) swept.exposed += time;
    if (active[2] == 0) swept.nothing += time;
  }
  return swept;
}

// Returns the largest share of the path that one kind of step has on one NPU.
double largest_share(const convert::Run& run) {
  std::map<std::pair<int, Rank>, Picoseconds> times;
  for (const convert::Run::Step& s : run.path) times[{static_cast<int>(s.kind), s.npu}] += s.time_ps;
  Picoseconds most = 0;
  for (const auto& [kind, time] : times) most = std::max(most, time);
  return static_cast<double>(most) / static_cast<double>(run.total_ps);
}

void check(const convert::Run& run, const std::string& name) {
  ASSERT_EQ(run.npus.size(), 1U) << name;
  const auto total = static_cast<double>(run.total_ps);
  const Swept swept = sweep(run);
  const std::vector<Finding> findings = findings_of(run);
  ASSERT_FALSE(findings.empty()) << name;
  EXPECT_EQ(findings[0].rule, "headline") << name;
  EXPECT_DOUBLE_EQ(findings[0].value, largest_share(run)) << name << ": " << findings[0].text;
  bool exposed = false;
  bool bubble = false;
  for (std::size_t i = 1; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    if (f.rule == "exposed_communication") {
      exposed = true;
      EXPECT_NEAR(f.value, static_cast<double>(swept.exposed) / total, 1e-9) << name << ": " << f.text;
    } else if (f.rule == "bubble") {
      bubble = true;
      EXPECT_NEAR(f.value, static_cast<double>(swept.nothing) / total, 1e-9) << name << ": " << f.text;
    } else if (f.rule != "model_limits") {
      ADD_FAILURE() << name << ": one NPU, recorded, without a network: " << f.text;
    }
  }
  EXPECT_EQ(exposed, static_cast<double>(swept.exposed) >= 0.1 * total) << name;
  EXPECT_EQ(bubble, static_cast<double>(swept.nothing) >= 0.05 * total) << name;
}

TEST(FindingsCorpus, SayNothingFalseOfRecordedTraces) {
  REQUIRE_CORPUS();
  for (const auto& [host, device] : pairs()) {
    check(recorded_run(host, "pytorch,mismatched=yes,device=" + device), host);
    check(recorded_run(device, "kineto"), device);
  }
}

}  // namespace
}  // namespace convert
