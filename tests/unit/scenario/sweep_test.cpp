// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/expect_error.h"
#include "common/scratch.h"
#include "scenario/sweep_plan.h"
#include "scenario/sweep_queue.h"
#include "scenario/sweep_run.h"
#include "scenario/sweep_summary.h"

namespace convert {
namespace {

using Texts = std::vector<std::string>;
using test::Scratch;
using test::thrown_error;

// Two ranks; rank 0 computes for 10 µs and then sends 1000 bytes. With a collective, they also gather 1000 bytes.
std::string traces(std::int64_t bytes = 1000, const std::string& receive = "") {
  const std::string message =
      ",{\"name\":\"comm_tag\",\"int32_val\":0},{\"name\":\"comm_size\",\"int64_val\":" + std::to_string(bytes) +
      "}]}\n";
  return R"({"rank":0,"metadata":{"version":"0.0.4"}}
{"rank":0,"id":0,"duration_micros":10,"type":"COMP_NODE","attr":[{"name":"is_cpu_op","bool_val":false}]}
{"rank":0,"id":1,"data_deps":[0],"type":"COMM_SEND_NODE","attr":[{"name":"comm_dst","int32_val":1})" +
         message + R"({"rank":1,"metadata":{"version":"0.0.4"}}
)" +
         (receive.empty()
              ? R"({"rank":1,"id":0,"type":"COMM_RECV_NODE","attr":[{"name":"comm_src","int32_val":0})" + message
              : receive);
}

SweepSetting setting(const std::string& key, const Texts& values) {
  SweepSetting s{.key = key, .option = "--sweep"};
  for (const std::string& v : values) s.values.push_back({v});
  return s;
}

class Sweep : public ::testing::Test {
 protected:
  SweepPlan plan(const std::vector<SweepSetting>& axes, std::vector<SweepSetting> base = {}) const {
    base.push_back(setting("workload", {scratch.path("w.jsonl")}));
    return {{.base = std::move(base), .axes = axes}, scratch.path()};
  }
  // The results of all runs, in order.
  static std::vector<Texts> results(const SweepPlan& plan, unsigned jobs = 2) {
    Diagnostics diagnostics;
    SweepTable table(std::nullopt, Texts(plan.axes().size() + sweep_result_columns().size()),
                     plan.identities().runs, false);
    TableQueue queue(plan, table, false);
    SweepRunner runner(plan, jobs, diagnostics);
    runner.work(queue);
    std::vector<Texts> all;
    for (std::size_t run = 0; run < plan.size(); ++run) all.push_back(table.cells(run));
    return all;
  }

  Scratch scratch;
  std::string workload = scratch.write("w.jsonl", traces());
};

TEST_F(Sweep, RunsAreTheCrossProduct) {
  const SweepPlan p =
      plan({setting("network", {"ring:2,bw=1GB/s", "ideal"}), setting("latency", {"1ns", "2ns", "x2"})});
  ASSERT_EQ(p.size(), 6U);
  EXPECT_EQ(p.describe(0), "network=ring:2,bw=1GB/s, latency=1ns");
  EXPECT_EQ(p.describe(5), "network=ideal, latency=x2");
  EXPECT_EQ(p.moved(5, 0, 0), 2U);
  EXPECT_EQ(p.moved(5, 1, 1), 4U);
  EXPECT_EQ(p.order().size(), 6U);
}

TEST_F(Sweep, IdentitiesDependOnWhatTheResultDependsOn) {
  const auto ids = [&](const std::vector<SweepSetting>& axes, const std::vector<SweepSetting>& base = {}) {
    return plan(axes, base).identities().runs;
  };
  const Texts both = ids({setting("network", {"ring:2,bw=1GB/s"}), setting("latency", {"1ns", "2ns"})});
  EXPECT_NE(both[0], both[1]);
  // On an axis or in the base, in any order.
  EXPECT_EQ(ids({setting("latency", {"2ns"})}, {setting("network", {"ring:2,bw=1GB/s"})})[0], both[1]);
  EXPECT_EQ(ids({setting("latency", {"2ns"}), setting("network", {"ring:2,bw=1GB/s"})})[0], both[1]);
  // The contents of a file, not only its name.
  const std::string yml = "topology: [ Ring ]\nnpus_count: [ 2 ]\nlatency: [ 1 ]\nbandwidth: ";
  const std::string net = scratch.write("n.yml", yml + "[ 50 ]\n");
  const Texts of_file = ids({setting("network", {net})});
  (void)scratch.write("n.yml", yml + "[ 60 ]\n");
  EXPECT_NE(ids({setting("network", {net})}), of_file);
  (void)scratch.write("n.yml", yml + "[ 50 ]\n");
  EXPECT_EQ(ids({setting("network", {net})}), of_file);
  (void)scratch.write("w.jsonl", traces(1001));
  EXPECT_NE(ids({setting("network", {net})}), of_file);
}

TEST_F(Sweep, IdentitiesDependOnAllSettingsAndOnFilesOfAlgorithms) {
  const SweepSetting ring = setting("network", {"ring:4,bw=1GB/s"});
  const auto id = [&](const std::string& key, const std::string& value) {
    return plan({setting(key, {value})}, {ring, setting("model", {"links"})}).identities().runs[0];
  };
  for (const auto& [key, a, b] : std::vector<std::array<std::string, 3>>{{"occupancy", "beta", "alpha-beta"},
                                                                         {"forwarding", "store", "cut"},
                                                                         {"routing", "dimension", "shortest"},
                                                                         {"fail", "none", "0>1"},
                                                                         {"algorithm", "none", "direct"},
                                                                         {"policy", "fifo", "lifo"},
                                                                         {"balanced", "true", "false"},
                                                                         {"slow", "0=2x", "1=2x"},
                                                                         {"symmetry", "true", "false"}})
    EXPECT_NE(id(key, a), id(key, b)) << key;
  // The contents of an algorithm's file; named by a rule, a key, and a system's file.
  (void)scratch.write("a.jsonl", traces(500));
  (void)scratch.write("s.json", R"({"all-reduce-implementation-custom": ["a.jsonl"]})");
  (void)scratch.write("node.json", R"({"per-node-custom-implementation": "node.yml"})");
  (void)scratch.write("node.yml", "1: a.jsonl\n");
  const std::vector<std::pair<std::string, std::string>> uses = {{"algorithm", "all_reduce=a.jsonl"},
                                                                 {"all-reduce-implementation-custom", "a.jsonl"},
                                                                 {"system", "s.json"},
                                                                 {"system", "node.json"}};
  Texts before;
  for (const auto& [key, value] : uses) before.push_back(id(key, value));
  (void)scratch.write("a.jsonl", traces(501));
  for (std::size_t i = 0; i < uses.size(); ++i)
    EXPECT_NE(id(uses[i].first, uses[i].second), before[i]) << uses[i].second;
  const std::string of_node = id("system", "node.json");
  (void)scratch.write("node.yml", "2: a.jsonl\n");
  EXPECT_NE(id("system", "node.json"), of_node);
  const Texts files = plan({setting("system", {"node.json"})}, {ring}).files();
  for (const char* file : {"node.json", "node.yml", "a.jsonl", "w.jsonl"}) {
    EXPECT_EQ(std::count(files.begin(), files.end(), scratch.path(file)), 1) << file;
  }
}

TEST_F(Sweep, ASystemFileAloneDoesNotMakeTheRulesThoseOfAstraSim) {
  const std::string system = scratch.write("s.json", R"({"endpoint-delay": 10})");
  const SweepPlan p = plan({setting("system", {system})}, {setting("network", {"ideal"})});
  EXPECT_FALSE(make_scenario(p.settings(0)).options.astra);
}

TEST_F(Sweep, NetworksOfOneShapeShareAProgram) {
  const SweepPlan p = plan({setting("occupancy", {"beta", "alpha-beta"}), setting("forwarding", {"store", "cut"}),
                            setting("routing", {"dimension", "shortest"}), setting("fail", {"none", "0>1"}),
                            setting("slow", {"none", "0=2x"})},
                           {setting("network", {"ring:4,bw=1GB/s"}), setting("model", {"links"})});
  EXPECT_EQ(p.groups_of(scratch.path("w.jsonl")), 2U);  // by slow
}

TEST_F(Sweep, StragglersAreAmongTheRanks) {
  const auto r =
      results(plan({setting("slow", {"none", "0=2x", "1=2x", "2=2x"})}, {setting("network", {"ring:2,bw=1GB/s"})}));
  EXPECT_EQ(r[0][2], "11000");
  EXPECT_EQ(r[1][2], "21000");
  EXPECT_EQ(r[2][2], "11000");
  EXPECT_EQ(r[3].back(), "slow: there is no rank 2; the set has 2 ranks");
}

TEST_F(Sweep, WhatNoRunCanDoIsAMistake) {
  const auto message = [&](const std::vector<SweepSetting>& axes, const std::vector<SweepSetting>& base = {}) {
    return test::error_text([&] { (void)plan(axes, base); });
  };
  const SweepSetting ring = setting("network", {"ring:2,bw=1GB/s"});
  const SweepSetting unaware = setting("model", {"unaware"});
  EXPECT_EQ(message({setting("policy", {"fifo", "lifo"})}, {ring, unaware}),
            ": no run can be executed: policy=fifo: policy fifo requires the network model links (messages wait "
            "for links), not unaware; policy=lifo: policy lifo requires the network model links (messages wait for "
            "links), not unaware");
  EXPECT_EQ(message({setting("policy", {"fifo"}), setting("size", {"1", "2"})}, {ring, unaware}),
            ": policy fifo requires the network model links (messages wait for links), not unaware");
  EXPECT_EQ(message({setting("size", {"1", "2"})}, {ring, setting("model", {"links"}), setting("fail", {"0-7"})})
                .substr(0, 13),
            ": failed link");
  // Otherwise it is the result of runs that cannot complete.
  const auto r = results(plan({setting("policy", {"arrival", "lifo"})}, {ring, unaware}));
  EXPECT_EQ(r[0][1], "complete");
  EXPECT_EQ(r[1][1], "error");
}

TEST_F(Sweep, MistakesAreFoundBeforeTheFirstRun) {
  const auto message = [&](const std::vector<SweepSetting>& axes, const std::vector<SweepSetting>& base = {}) {
    return test::error_text([&] { (void)plan(axes, base); });
  };
  EXPECT_EQ(message({setting("network", {"ring:2,bw=1GB/s"}), setting("bandwidth", {"x1", "fast"})}),
            ": --sweep: bandwidth requires a rate such as 50GB/s or a factor such as x0.5, not 'fast'");
  EXPECT_EQ(message({setting("latency", {"1ns"}), setting("latency", {"2ns"})}),
            ": latency is swept twice; give one axis");
  SweepSetting of_file = setting("bandwidth", {"fast"});
  of_file.values[0].where = {.file = "s.yml", .line = 3, .column = 4};
  EXPECT_EQ(message({of_file}).substr(0, 11), "s.yml:3:4: ");
  const std::string net = scratch.write("n.yml", "topologie: [ Ring ]\n");
  EXPECT_EQ(message({setting("network", {net})}), net + ":1:1: unknown key 'topologie'; did you mean topology?");
  EXPECT_EQ(message({setting("latency", {"1ns"})}),
            ": no network is given; give -n, a base with network, or an axis of networks");
  Texts many;
  for (int i = 1; i <= 400; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(message({setting("latency", many), setting("until", many)}),
            ": the sweep has more than 100000 runs; sweep fewer values");
}

// 10 µs of computation, 1000 bytes at 1 or 2 bytes per ns, and the latency.
TEST_F(Sweep, ResultsByHand) {
  const SweepPlan p = plan({setting("bandwidth", {"1GB/s", "x2"}), setting("latency", {"5ns", "500ns"})},
                           {setting("network", {"ring:2,bw=1GB/s"})});
  const auto r = results(p);
  ASSERT_EQ(r.size(), 4U);
  EXPECT_EQ(r[0], (Texts{"1GB/s", "5ns", "complete", "11005", "11005", "11005", "1005", "5000", "1", "1000", "", "",
                         "", "5000", ""}));
  EXPECT_EQ(r[1][3], "11500");
  EXPECT_EQ(r[2][3], "10505");
  EXPECT_EQ(r[3][3], "11000");
}

TEST_F(Sweep, SharedProgramsGiveWhatSingleRunsGive) {
  const std::vector<SweepSetting> base = {};
  const SweepPlan p =
      plan({setting("network", {"switch:2,bw=1GB/s", "ring:2,bw=3GB/s", "ring:2,bw=1GB/s,lat=7ns", "ideal"}),
            setting("model", {"unaware", "aware", "links"}), setting("issue", {"workload", "algorithm"})});
  const auto together = results(p, 4);
  EXPECT_EQ(results(p, 1), together);
  for (std::size_t run = 0; run < p.size(); ++run) {
    const SweepPlan one = plan({setting("network", {p.value(run, 0)}), setting("model", {p.value(run, 1)}),
                                setting("issue", {p.value(run, 2)})});
    EXPECT_EQ(results(one, 1)[0], together[run]) << p.describe(run);
  }
}

TEST_F(Sweep, BalancedRunsShareNoProgramOfOtherBandwidths) {
  std::string ranks;
  for (int r = 0; r < 16; ++r) {
    ranks += R"({"rank":)" + std::to_string(r) + R"(,"metadata":{"version":"0.0.4"}}
{"rank":)" + std::to_string(r) +
             R"(,"id":0,"type":"COMM_COLL_NODE","attr":[{"name":"comm_type","int64_val":0},)"
             R"({"name":"comm_size","int64_val":16777216}]}
)";
  }
  (void)scratch.write("w.jsonl", ranks);
  const SweepSetting square = setting("network", {"ring:4,bw=1GB/s,lat=1us+ring:4,bw=1GB/s,lat=1us"});
  const Texts bandwidths = {"1GB/s", "100MB/s", "10GB/s"};
  const SweepPlan p = plan({setting("balanced", {"false", "true"}), setting("bandwidth.0", bandwidths)}, {square});
  EXPECT_EQ(p.groups_of(scratch.path("w.jsonl")), 4U);
  const auto together = results(p);
  for (std::size_t run = 0; run < p.size(); ++run) {
    const SweepPlan one =
        plan({setting("balanced", {p.value(run, 0)}), setting("bandwidth.0", {p.value(run, 1)})}, {square});
    EXPECT_EQ(results(one, 1)[0], together[run]) << p.describe(run);
  }
}

TEST_F(Sweep, AFailureIsTheResultOfItsRun) {
  const std::string receive =
      R"({"rank":1,"id":0,"type":"COMM_RECV_NODE","attr":[{"name":"comm_src","int32_val":0},)"
      R"({"name":"comm_tag","int32_val":1},{"name":"comm_size","int64_val":8}]})";
  (void)scratch.write("stuck.jsonl", traces(1000, receive + "\n"));
  (void)scratch.write("bad.jsonl", "{\"rank\":0,\"metadata\":{}}\n{\"rank\":0,\"id\":0,\"type\":5}\n");
  const SweepPlan p({.base = {setting("bandwidth.0", {"x1"})},
                     .axes = {setting("workload", {"w.jsonl", "stuck.jsonl", "bad.jsonl"}),
                              setting("network", {"ring:2,bw=1GB/s", "ring:4,bw=1GB/s", "ideal"})}},
                    scratch.path());
  const auto r = results(p);
  ASSERT_EQ(r.size(), 9U);
  EXPECT_EQ(r[0][2], "complete");
  EXPECT_EQ(r[1][2], "error");
  EXPECT_EQ(r[1].back(),
            "ring:4,bw=1GB/s: no traces of ranks 2 to 3: the network has 4 NPUs; use a network of 2 NPUs");
  EXPECT_EQ(r[2].back(), "an ideal network has no bandwidth to set");
  EXPECT_EQ(r[3], (Texts{"stuck.jsonl", "ring:2,bw=1GB/s", "deadlock", "", "", "", "", "5000", "1", "1000", "", "",
                         "", "", "1 node never completes; et-validate prints the cause and a remedy"}));
  EXPECT_EQ(r[6][2], "error");
  EXPECT_NE(r[6].back().find("bad.jsonl:2"), std::string::npos) << r[6].back();
}

// Runs of one group have the same error, each with its own network.
TEST_F(Sweep, AMessageNamesTheNetworkOfItsRun) {
  const auto r = results(plan({setting("network", {"ring:4,bw=1GB/s", "ring:4,bw=2GB/s"})}));
  for (const Texts& cells : r) EXPECT_TRUE(cells.back().starts_with(cells[0] + ": no traces of")) << cells.back();
}

TEST_F(Sweep, BytesOfAllAreCountedWithoutOverflow) {
  ReplayResult result;
  result.npus.resize(4);
  for (NpuResult& npu : result.npus) npu.bytes_sent = std::int64_t{1} << 62;
  EXPECT_EQ(sweep_result(result).at(7), "18446744073709551616");
  result.npus.clear();
  EXPECT_EQ(sweep_result(result).at(7), "0");
}

// As in the report of a single replay, 2.5 ps is rounded to 3.
TEST_F(Sweep, MeansAreRounded) {
  ReplayResult result;
  result.npus.resize(2);
  result.npus[0].compute_ps = 5;
  EXPECT_EQ(sweep_result(result).at(5), "0.003");
}

TEST_F(Sweep, AFailureThatIsNoRunsOwnStopsAllThreads) {
  class FullQueue : public RunQueue {
   public:
    std::optional<std::size_t> take() override { return next < 400 ? std::optional(next++ % 2) : std::nullopt; }
    void put(std::size_t, const Texts& cells) override {
      EXPECT_EQ(cells[0], "complete");
      if (puts++ == 3) throw std::bad_alloc();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> puts = 0;
  } queue;
  const SweepPlan p = plan({setting("network", {"ring:2,bw=1GB/s", "ideal"})});
  Diagnostics diagnostics;
  SweepRunner runner(p, 4, diagnostics);
  EXPECT_THROW(runner.work(queue), std::bad_alloc);
  EXPECT_LT(queue.puts, 200U);
}

TEST_F(Sweep, Slowdowns) {
  const SweepPlan p = plan(
      {setting("network", {"ring:2,bw=1GB/s", "ring:4,bw=1GB/s"}), setting("latency", {"0ns", "11us", "1us"})});
  Diagnostics diagnostics;
  SweepTable table(std::nullopt, Texts(2 + sweep_result_columns().size()), p.identities().runs, false);
  TableQueue queue(p, table, false);
  SweepRunner(p, 1, diagnostics).work(queue);
  const SweepReference reference = parse_sweep_reference(p, "latency=0ns");
  EXPECT_EQ(slowdowns(p, table, reference), (Texts{"1.000000", "2.000000", "1.090909", "", "", ""}));
  EXPECT_STREQ(thrown_error([&] { (void)parse_sweep_reference(p, "latency=3ns"); }).what(),
               "--relative-to latency=3ns: latency has no such value in this sweep");
  EXPECT_STREQ(thrown_error([&] { (void)parse_sweep_reference(p, "model=aware"); }).what(),
               "--relative-to model=aware: expected KEY=VALUE of an axis of the sweep");
  // The latency is numeric, so it is x. Its values ascend, independent of their order in the sweep.
  EXPECT_EQ(plot_axis(p), 1U);
  const Plot plot = plot_sweep(p, table, std::nullopt);
  EXPECT_EQ(plot.x.label + ", " + plot.y.label, "latency, total time");
  EXPECT_EQ(plot.x.unit, ValueUnit::ns);
  EXPECT_EQ(plot.y.unit, ValueUnit::ns);
  ASSERT_EQ(plot.lines.size(), 2U);
  EXPECT_EQ(plot.legend, "network (…,bw=1GB/s)");
  EXPECT_EQ(plot.lines[0].label, "ring:2");
  EXPECT_EQ(plot.lines[0].points,
            (std::vector<std::pair<double, double>>{{0, 11000}, {1000, 12000}, {11000, 22000}}));
  EXPECT_TRUE(plot.lines[1].points.empty());
  EXPECT_EQ(plot.x.marks, (std::vector<double>{0, 1000, 11000}));
  EXPECT_EQ(plot_sweep(p, table, reference).y.label, "slowdown relative to latency 0ns");
  EXPECT_EQ(plot_sweep(p, table, reference).y.unit, ValueUnit::factor);
}

TEST_F(Sweep, TooManyLinesForAPlot) {
  Texts many;
  for (int i = 1; i <= 31; ++i) many.push_back(std::to_string(i));
  const SweepPlan p =
      plan({setting("latency", {"0ns", "1ns"}), setting("until", many)}, {setting("network", {"ring:2,bw=1GB/s"})});
  EXPECT_EQ(plot_axis(p), 0U);
  EXPECT_STREQ(thrown_error([&] { check_sweep_plot(p); }).what(),
               "the plot would have 31 lines, more than 30; sweep fewer values at once");
}

}  // namespace
}  // namespace convert
