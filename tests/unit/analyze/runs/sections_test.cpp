// SPDX-License-Identifier: MIT
#include "analyze/runs/sections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyze/runs/group_titles.h"
#include "analyze/runs/use.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

Slice& add(Run& run, Rank npu, Lane lane, const char* name, Picoseconds begin, Picoseconds end,
           std::uint32_t call = no_index) {
  run.timeline.slices.push_back({.begin_ps = begin, .end_ps = end, .rank = npu, .lane = lane});
  Slice& s = run.timeline.slices.back();
  s.node = run.timeline.slices.size();
  s.name = run.timeline.names.add(name);
  s.call = call;
  return s;
}

// Two NPUs compute, NPU 1 longer, and then all-reduce; NPU 0 waits for NPU 1 from 30 to 50.
Run two_npus() {
  convert::Run run;
  run.total_ps = 100;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.calls = {{.op = Collective::all_reduce,
                .group = 0,
                .npus = 2,
                .size_bytes = 1000,
                .begin_ps = 30,
                .last_begin_ps = 50,
                .end_ps = 90}};
  run.call_npus = {{.call = 0, .npu = 0, .begin_ps = 30, .end_ps = 90},
                   {.call = 0, .npu = 1, .begin_ps = 50, .end_ps = 90}};
  add(run, 0, Lane::compute, "forward", 0, 30);
  add(run, 1, Lane::compute, "forward", 0, 50);
  add(run, 0, Lane::collective, "AR", 30, 90, 0);
  add(run, 1, Lane::collective, "AR", 50, 90, 0);
  add(run, 0, Lane::compute, "backward", 80, 100);
  return run;
}

Section section(const Run& run, std::string_view name, const RunWishes& wishes = {}) {
  for (const RunSection& s : run_sections()) {
    if (s.name == name) return s.make(run, wishes);
  }
  throw std::runtime_error("no section");
}
Value figure(const Section& s, std::string_view key) {
  for (const Figure& f : s.figures) {
    if (f.key == key) return f.value;
  }
  ADD_FAILURE() << s.name << " has no figure " << key;
  return {};
}
std::int64_t number(const Section& s, std::string_view key) { return std::get<std::int64_t>(figure(s, key)); }
const Table& table(const Section& s, std::string_view key) {
  for (const Table& t : s.tables) {
    if (t.key == key) return t;
  }
  throw std::runtime_error("no table " + std::string(key));
}
using Row = std::vector<Value>;

TEST(RunSections, TimeOfEachNpuAddsUpToTheRun) {
  const Section s = section(two_npus(), "time");
  EXPECT_EQ(number(s, "total"), 100);
  const Table& npus = table(s, "by_npu");
  ASSERT_EQ(npus.rows.size(), 2U);
  for (const Row& row : npus.rows) {
    std::int64_t sum = 0;
    for (std::size_t c = 1; c <= 7; ++c) sum += std::get<std::int64_t>(row[c]);
    EXPECT_EQ(sum, 100);
  }
  EXPECT_EQ(npus.rows[0],
            (Row{std::int64_t{0}, std::int64_t{40}, std::int64_t{10}, std::int64_t{30}, std::int64_t{20},
                 std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, std::int64_t{1}}));
}

TEST(RunSections, SlicesByNameWithPercentilesAndSlack) {
  convert::Run run = two_npus();
  run.slack_ps = {7, 0, 3, 2, 0};
  const Section s = section(run, "time", {.by = "name"});
  const Table& names = table(s, "slices_by_name");
  ASSERT_EQ(names.rows.size(), 3U);
  EXPECT_EQ(names.rows[0], (Row{std::string("AR"), std::int64_t{2}, std::int64_t{100}, 0.5, 50.0, std::int64_t{40},
                                std::int64_t{60}, std::int64_t{60}, std::int64_t{2}}));
}

TEST(RunSections, NpusThatOneStandsForCount) {
  convert::Run run = two_npus();
  run.npus.push_back({.rank = 2});
  run.classes = {{.npu = 2, .like = 1}};
  const Section s = section(run, "time", {.by = "name"});
  EXPECT_EQ(number(s, "npus"), 3);
  EXPECT_EQ(table(s, "by_npu").rows.size(), 2U);
  EXPECT_EQ(table(s, "by_npu").rows[1].back(), Value(std::int64_t{2}));
  EXPECT_EQ(table(s, "slices_by_name").rows[0][1], Value(std::int64_t{3}));
}

TEST(RunSections, OverlapByGroup) {
  const Section s = section(two_npus(), "overlap");
  EXPECT_EQ(number(s, "communication"), 80);
  EXPECT_EQ(number(s, "hidden"), 10);
  EXPECT_EQ(number(s, "exposed"), 70);
  EXPECT_EQ(number(s, "most_collectives"), 1);
  const Table& groups = table(s, "by_group");
  ASSERT_EQ(groups.rows.size(), 1U);
  EXPECT_EQ(groups.rows[0], (Row{std::string("(all ranks)"), std::int64_t{2}, std::int64_t{80}, std::int64_t{10},
                                 0.125, std::int64_t{70}, 35.0, std::int64_t{20}}));
}

TEST(RunSections, EquivalentGroupsShareARow) {
  convert::Run run = two_npus();
  const auto call = [&](std::int64_t group, std::int64_t size) {
    run.calls.push_back({.op = Collective::all_gather, .group = group, .npus = 2, .size_bytes = size});
  };
  call(3, 10), call(4, 10), call(5, 20), call(7, 10), call(8, 10), call(9, 10);
  run.groups = {{7, run.texts.add("tp")}, {8, run.texts.add("tp")}, {9, run.texts.add("dp")}};
  const Section s = section(run, "collectives");
  std::vector<std::string> titles;
  for (const Row& row : table(s, "kinds").rows) titles.push_back(std::get<std::string>(row[1]));
  std::sort(titles.begin(), titles.end());
  EXPECT_EQ(titles, (std::vector<std::string>{"(all ranks)", "3 (+ 1 like it)", "5", "dp", "tp (2 groups)"}));
  const GroupTitles groups(run);
  EXPECT_EQ(groups.representative(8), 7);
  EXPECT_EQ(groups.title_alone(8), "tp (group 8)");
  EXPECT_EQ(groups.title_alone(9), "dp");
  EXPECT_EQ(groups.title_alone(4), "4");
}

TEST(RunSections, OperationsByNameWithoutNumbers) {
  convert::Run run = two_npus();
  add(run, 1, Lane::compute, "mlp2 layer 3 micro 10", 90, 95);
  add(run, 1, Lane::compute, "mlp2 layer 4 micro 11", 95, 100);
  add(run, 1, Lane::cpu, "launch", 0, 100);
  const Section s = section(run, "operations");
  const Table& t = table(s, "operations");
  ASSERT_EQ(t.rows.size(), 4U);
  EXPECT_EQ(t.rows[0], (Row{std::string("AR"), std::string("collective"), std::int64_t{2}, std::int64_t{80}, 40.0,
                            80.0 / 190, std::int64_t{40}, std::int64_t{40}}));
  EXPECT_EQ(t.rows[3][0], Value(std::string("mlp2 layer * micro *")));
  EXPECT_EQ(t.rows[3][2], Value(std::int64_t{2}));
  run.recorded = true;  // names of kernels are not shortened
  EXPECT_EQ(section(run, "operations").tables.front().rows.size(), 5U);
}

TEST(RunSections, AKernelOfSeveralNodesCountsOnce) {
  convert::Run run;
  run.recorded = true;
  run.total_ps = 400;
  const auto on_stream = [&](std::int32_t stream, Lane lane, Picoseconds begin) {
    add(run, 0, lane, "SendRecv", begin, begin + 100).stream = stream;
  };
  for (const Picoseconds begin : {0, 200}) {  // two batches of three messages each
    for (const Lane lane : {Lane::send, Lane::recv, Lane::send}) on_stream(7, lane, begin);
  }
  on_stream(8, Lane::send, 200);                             // another stream, another kernel
  for (int i = 0; i < 2; ++i) on_stream(-1, Lane::recv, 0);  // messages without a stream
  const Table t = operation_table(run);
  ASSERT_EQ(t.rows.size(), 3U);
  const auto row = [](const char* kind, std::int64_t count) {
    return Row{
        std::string("SendRecv"), std::string(kind), count, 100 * count, 100.0, static_cast<double>(count) / 5,
        std::int64_t{100},       std::int64_t{100}};
  };
  EXPECT_EQ(t.rows[0], row("recv", 2));
  EXPECT_EQ(t.rows[1], row("send, recv", 2));
  EXPECT_EQ(t.rows[2], row("send", 1));
  const auto count_by = [&](const char* by, std::size_t place) {
    return table(section(run, "time", {.by = by}), std::string("slices_by_") + by).rows.at(place)[1];
  };
  EXPECT_EQ(count_by("name", 0), Value(std::int64_t{5}));
  EXPECT_EQ(count_by("rank", 0), Value(std::int64_t{5}));
  EXPECT_EQ(count_by("type", 0), Value(std::int64_t{4}));  // of recv: two kernels and two messages
}

TEST(RunSections, UseOfThePeakThatTheRunTells) {
  convert::Run run = two_npus();
  EXPECT_TRUE(section(run, "mfu").figures.empty());
  tell_use(run, "100", 2e12);  // 100 operations in 100 ps on 2 NPUs: 0.5 TFLOPS each
  const Section s = section(run, "mfu");
  EXPECT_DOUBLE_EQ(std::get<double>(figure(s, "tflops_per_npu")), 0.5);
  EXPECT_DOUBLE_EQ(std::get<double>(figure(s, "mfu")), 0.25);
}

TEST(RunSections, TheLastNpuIsTheStraggler) {
  const Section s = section(two_npus(), "skew");
  EXPECT_EQ(number(s, "spread_max"), 20);
  const Table& late = table(s, "stragglers");
  ASSERT_EQ(late.rows.size(), 1U);
  EXPECT_EQ(late.rows[0], (Row{std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, 1.0, std::int64_t{20}}));
}

TEST(RunSections, SpeedOfCollectives) {
  const Section s = section(two_npus(), "collectives");
  const Row& row = table(s, "kinds").rows.at(0);
  EXPECT_EQ(row[0], Value(std::string("all_reduce")));
  EXPECT_EQ(row[10], Value(60.0));                                  // ps
  EXPECT_DOUBLE_EQ(std::get<double>(row[11]), 1000.0 * 1000 / 60);  // 1000 bytes in 60 ps
  EXPECT_DOUBLE_EQ(std::get<double>(row[12]), 1000.0 * 1000 / 60);  // 2 (n-1) / n = 1
}

TEST(RunSections, IterationsByName) {
  convert::Run run;
  run.total_ps = 300;
  for (Rank npu = 0; npu < 2; ++npu) {
    add(run, npu, Lane::compute, "layer 3 iteration 0", 10, 90);
    add(run, npu, Lane::compute, "layer 3 iteration 1", 100 + Picoseconds{npu}, 180);
    add(run, npu, Lane::compute, "layer 3 iteration 2", 210, 290);
  }
  const Section s = section(run, "iterations");
  EXPECT_EQ(number(s, "count"), 3);
  EXPECT_EQ(table(s, "iterations").rows[0],
            (Row{std::int64_t{0}, std::int64_t{10}, std::int64_t{100}, std::int64_t{90}}));
  EXPECT_EQ(number(s, "max"), 110);
}

TEST(RunSections, StepsOfTheProfilerAreIterations) {
  convert::Run run;
  run.total_ps = 300;
  add(run, 0, Lane::cpu, "ProfilerStep#12", 10, 90);
  add(run, 0, Lane::cpu, "ProfilerStep#13", 100, 250);
  add(run, 0, Lane::cpu, "iteration 5", 0, 300);
  const Section s = section(run, "iterations");
  EXPECT_EQ(number(s, "count"), 2);
  EXPECT_EQ(table(s, "iterations").rows[1],
            (Row{std::int64_t{13}, std::int64_t{100}, std::int64_t{250}, std::int64_t{150}}));
}

TEST(RunSections, IterationsByCollectivesThatRepeat) {
  convert::Run run;
  run.total_ps = 1000;
  for (std::uint32_t i = 0; i < 6; ++i) {
    run.calls.push_back(
        {.op = i % 2 == 0 ? Collective::all_gather : Collective::all_reduce, .number = i, .size_bytes = 8});
    run.call_npus.push_back({.call = i, .npu = 3, .begin_ps = 100 * Picoseconds{i} + 50, .end_ps = 0});
  }
  const Section s = section(run, "iterations");
  EXPECT_EQ(number(s, "count"), 3);
  EXPECT_EQ(table(s, "iterations").rows[1],
            (Row{std::int64_t{1}, std::int64_t{250}, std::int64_t{450}, std::int64_t{200}}));
  run.calls.back().size_bytes = 9;
  EXPECT_EQ(number(section(run, "iterations"), "count"), 0);
}

TEST(RunSections, MemoryAtItsHighest) {
  convert::Run run;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.memory = {{0, 5, 100}, {0, 9, 300}, {0, 20, 50}, {1, 7, 200}};
  const Section s = section(run, "memory");
  EXPECT_EQ(number(s, "peak"), 300);
  EXPECT_EQ(number(s, "peak_npu"), 0);
  EXPECT_EQ(number(s, "peak_at"), 9);
}

TEST(RunSections, UseOfThePeak) {
  convert::Run run = two_npus();
  const Section s = section(run, "mfu", {.ops_per_ns = 1000, .operations = Sum(100)});
  EXPECT_DOUBLE_EQ(std::get<double>(figure(s, "mfu")),
                   0.5);  // 100 operations in 0.1 ns on two NPUs with 1,000 per ns
}

TEST(RunSections, AnEmptyRunHasAllSections) {
  const convert::Run run;
  for (const RunSection& s : run_sections()) {
    EXPECT_EQ(s.make(run, {}).name, s.name);
    EXPECT_EQ(s.has(run), s.name == "time") << s.name;
  }
}

}  // namespace
}  // namespace convert
