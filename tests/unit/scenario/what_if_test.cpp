// SPDX-License-Identifier: MIT
// A what-if replay gives the same result as a replay with the options next to it, to the picosecond.
#include "simulate/report/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/workload.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/run.h"
#include "unit/scenario/layers.h"

namespace convert {
namespace {

using Settings = test::SettingList;
using test::layers;

convert::Run tried(const std::vector<Trace>& traces, const Settings& settings) {
  const LoadedReplay loaded = test::load(traces, settings, [](Scenario& s) { want_run(s.options); });
  ReplayResult result = replay(*loaded.program);
  result.kinds = collective_kinds(*loaded.program);
  convert::Run run = make_run(result, &*loaded.program);
  add_what_ifs(*loaded.program, run);
  return run;
}

// Returns the settings, overridden by the options ("--set latency=0ns --free compute"). The elements of an option
// that is given several times are joined.
Settings with_options(Settings settings, const std::string& options) {
  std::istringstream words(options);
  std::set<std::string> seen;
  for (std::string option; words >> option;) {
    std::string key = option.substr(2);
    std::string value = "true";
    if (option != "--balanced") words >> value;
    if (option == "--set") {
      key = value.substr(0, value.find('='));
      value = value.substr(key.size() + 1);
    }
    const auto same = std::ranges::find(settings, key, &Settings::value_type::first);
    if (same == settings.end()) {
      settings.emplace_back(key, value);
    } else {
      same->second = seen.contains(key) ? same->second + ';' + value : value;
    }
    seen.insert(key);
  }
  return settings;
}

void check_what_ifs(const std::vector<Trace>& traces, const Settings& settings,
                    std::set<convert::Run::Change> wanted) {
  const convert::Run run = tried(traces, settings);
  ASSERT_LE(run.whatif.size(), most_what_ifs);
  Picoseconds before = 0;
  for (const convert::Run::WhatIf& w : run.whatif) {
    const std::string options(run.texts[w.setting]);
    SCOPED_TRACE(std::string(run.texts[w.what]) + ": " + options);
    EXPECT_LE(before, w.total_ps);
    before = w.total_ps;
    wanted.erase(w.change);
    const LoadedReplay loaded = test::load(traces, with_options(settings, options), [](Scenario&) {});
    const Picoseconds total = replay(*loaded.program).total_ps;
    if (w.change == convert::Run::Change::like_median) {  // its factor has six digits
      EXPECT_NEAR(static_cast<double>(w.total_ps), static_cast<double>(total), 1e-5 * static_cast<double>(total));
    } else {
      EXPECT_EQ(w.total_ps, total);
    }
  }
  EXPECT_TRUE(wanted.empty()) << "change " << static_cast<int>(*wanted.begin()) << " was not tried";
}

using Change = convert::Run::Change;
const std::set<Change> all_changes = {Change::like_median, Change::bandwidth, Change::latency,
                                      Change::free_call,   Change::algorithm, Change::balanced,
                                      Change::no_network,  Change::no_compute};

TEST(WhatIf, EachIsTheReplayThatItsOptionsAskFor) {
  const auto traces = layers(8, "all_reduce:1MiB");
  const Settings base = {{"slow", "2=1.3x"}};
  for (const std::string model : {"links", "unaware", "aware"}) {
    for (const std::string network : {"ring:4,bw=20GB/s,lat=500ns+switch:2,bw=20GB/s,lat=1us",
                                      "switch:4,bw=50GB/s,lat=500ns+ring:2,bw=80GB/s,lat=100ns"}) {
      SCOPED_TRACE(model + ' ' + network);
      Settings settings = base;
      settings.emplace_back("network", network);
      settings.emplace_back("model", model);
      check_what_ifs(traces, settings, all_changes);
    }
  }
}

// Ranks with equal structure call the collectives of other groups: equal groups are free at once.
TEST(WhatIf, TheCollectivesOfEqualGroupsAreFree) {
  Workload workload = preset_workload("llama3-8b", 0);
  for (const auto& [key, value] : Settings{{"plan.tensor", "2"},
                                           {"plan.data", "2"},
                                           {"plan.pipeline", "2"},
                                           {"run.micro_batches", "2"},
                                           {"model.layers", "2"}})
    set_workload(workload, {key, value});
  const WorkloadSet set(workload);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  const Settings settings = {{"network", "switch:8,bw=50GB/s,lat=1us"}, {"model", "aware"}};
  const auto loaded = [&](const Settings& with) {
    return test::load(traces, with, [&](Scenario& s) {
      auto system = std::make_shared<ReplaySystem>(*s.options.system);
      system->groups = set.groups();
      s.options.system = std::move(system);
      want_run(s.options);
    });
  };
  const LoadedReplay all = loaded(settings);
  ReplayResult result = replay(*all.program);
  result.kinds = collective_kinds(*all.program);
  convert::Run run = make_run(result, &*all.program);
  add_what_ifs(*all.program, run);
  std::set<Picoseconds> totals;
  int several = 0;
  for (const convert::Run::WhatIf& w : run.whatif) {
    if (w.change != Change::free_call) continue;
    const std::string options(run.texts[w.setting]);
    SCOPED_TRACE(options);
    EXPECT_EQ(w.total_ps, replay(*loaded(with_options(settings, options)).program).total_ps);
    totals.insert(w.total_ps);
    if (run.texts[w.what].find(" and 1 equal group takes no time") != std::string_view::npos) ++several;
  }
  EXPECT_GT(totals.size(), 1U);
  EXPECT_GT(several, 1);
}

TEST(WhatIf, OneDimensionHasNoBalance) {
  std::set<Change> some = all_changes;
  some.erase(Change::balanced);
  check_what_ifs(layers(8, "all_reduce:64KiB,all_gather:8KiB"),
                 {{"network", "ring:8,bw=50GB/s,lat=500ns"}, {"slow", "7=2x"}}, some);
}

TEST(WhatIf, ABalancedReplayStaysSo) {
  check_what_ifs(layers(8, "all_reduce:1MiB"),
                 {{"network", "ring:4,bw=50GB/s,lat=500ns+ring:2,bw=20GB/s,lat=1us"}, {"balanced", "true"}},
                 {Change::bandwidth, Change::latency, Change::free_call, Change::algorithm, Change::no_network});
}

TEST(WhatIf, WhatASizeOfGroupsCannotRunIsLeftOut) {
  const convert::Run run = tried(layers(6, "all_reduce:1MiB"), {{"network", "ring:6,bw=50GB/s,lat=500ns"}});
  std::vector<std::string> algorithms;
  for (const convert::Run::WhatIf& w : run.whatif) {
    if (w.change == Change::algorithm) algorithms.emplace_back(run.texts[w.what]);
  }
  EXPECT_EQ(algorithms, std::vector<std::string>{"all_reduce runs astra:direct"});
}

// An all-reduce of 1,024 NPUs by halving and doubling has 20,480 messages, by a ring 2.1 million.
TEST(WhatIf, AlgorithmsOfManyMoreMessagesAreLeftOut) {
  const convert::Run run = tried(layers(1024, "all_reduce:1MiB"), {{"network", "switch:1024,bw=50GB/s,lat=500ns"}});
  EXPECT_GT(run.whatif.size(), 2U);
  for (const convert::Run::WhatIf& w : run.whatif)
    EXPECT_NE(run.texts[w.what], "all_reduce runs astra:ring") << run.texts[w.setting];
}

TEST(WhatIf, AnAlgorithmOfOnesOwnStays) {
  const convert::Run run = tried(layers(8, "all_reduce:1MiB"),
                                 {{"network", "ring:8,bw=50GB/s,lat=500ns"}, {"algorithm", "all_reduce=ring"}});
  for (const convert::Run::WhatIf& w : run.whatif) EXPECT_NE(w.change, Change::algorithm);
}

// Changes of a machine have no options; calls keep the correction by measured times.
TEST(WhatIf, Machines) {
  const auto traces = layers(32, "all_reduce:256MiB");
  const convert::Run run = tried(traces, {{"network", "dgx-h100,nodes=4"}});
  const auto total = [&](convert::Run::Change change) {
    const auto at = std::ranges::find(run.whatif, change, &convert::Run::WhatIf::change);
    return at == run.whatif.end() ? -1 : at->total_ps;
  };
  EXPECT_GT(total(convert::Run::Change::adapters), 0);
  EXPECT_LT(total(convert::Run::Change::adapters), run.total_ps);
  EXPECT_GT(total(convert::Run::Change::no_nvls), run.total_ps);
  for (const convert::Run::WhatIf& w : run.whatif) {
    const bool of_machine = w.change == convert::Run::Change::adapters || w.change == convert::Run::Change::no_nvls;
    EXPECT_EQ(run.texts[w.setting].empty(), of_machine) << run.texts[w.what];
  }
  ASSERT_FALSE(run.calls.empty());
  EXPECT_EQ(run.texts[run.calls.front().source], "measured");
  EXPECT_EQ(run.calls.front().error_pct, 1.5);
  const convert::Run one_node = tried(layers(8, "all_reduce:256MiB"), {{"network", "mi300x-node"}});
  EXPECT_TRUE(std::ranges::none_of(one_node.whatif, [](const convert::Run::WhatIf& w) {
    return w.change == convert::Run::Change::adapters || w.change == convert::Run::Change::no_nvls;
  }));
}

}  // namespace
}  // namespace convert
