// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "common/perfetto_trace.h"
#include "core/run.h"
#include "formats/format.h"
#include "formats/timeline/chrome.h"
#include "io/output.h"

namespace convert {
namespace {

using test::PerfettoEvent;
using test::PerfettoTrace;

std::string written(std::span<const Run> runs, const std::string& to) {
  std::string bytes;
  const auto out = memory_output(bytes);
  const FormatChoice choice = parse_format_choice(to, Direction::write);
  choice.format->write_runs(runs, choice.options, *out);
  out->close();
  return bytes;
}

PerfettoTrace decoded(const Run& run, const std::string& to = "perfetto") {
  PerfettoTrace trace = test::decode_perfetto(written({&run, 1}, to));
  EXPECT_EQ(test::faults_of(trace), "");
  return trace;
}

std::string perfetto_failure_of(const Run& run, const std::string& to) {
  try {
    (void)written({&run, 1}, to);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
std::string perfetto_failure(const std::string& to) {
  try {
    (void)written({}, to);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Slice slice(Run& run, Rank rank, Lane lane, Picoseconds begin, Picoseconds end, const char* name) {
  return {.begin_ps = begin,
          .end_ps = end,
          .node = run.timeline.slices.size(),
          .rank = rank,
          .name = run.timeline.names.add(name),
          .lane = lane};
}
void add(Run& run, Rank rank, Lane lane, Picoseconds begin, Picoseconds end, const char* name = "x") {
  run.timeline.slices.push_back(slice(run, rank, lane, begin, end, name));
}
// A message of `bytes` that is sent and received at these times.
void add_message(Run& run, Picoseconds send, Picoseconds sent, Picoseconds posted, Picoseconds received,
                 std::uint64_t flow, std::int64_t bytes = 64) {
  Slice s = slice(run, 0, Lane::send, send, sent, "send");
  s.flow = flow;
  s.bytes = bytes;
  s.peer = 1;
  run.timeline.slices.push_back(s);
  Slice r = slice(run, 1, Lane::recv, posted, received, "recv");
  r.flow = flow;
  r.bytes = bytes;
  r.peer = 0;
  run.timeline.slices.push_back(r);
}

std::vector<PerfettoEvent> begins(const PerfettoTrace& trace) {
  std::vector<PerfettoEvent> out;
  for (const PerfettoEvent& e : trace.events) {
    if (e.type == 1) out.push_back(e);
  }
  return out;
}

TEST(Perfetto, SlicesStandOnTracksOfProcesses) {
  convert::Run run;
  add(run, 0, Lane::compute, 0, 5000, "forward");
  add(run, 3, Lane::collective, 1000, 9000, "all_reduce");
  run.timeline.slices.back().call = 7;
  const PerfettoTrace trace = decoded(run);
  const auto all = begins(trace);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "forward");
  EXPECT_EQ(all[0].args, (std::map<std::string, std::uint64_t>{{"node", 0}}));
  EXPECT_EQ(all[0].correlation, 0U);
  EXPECT_EQ(all[1].correlation, 8U);
  EXPECT_EQ(all[1].time, 1U);
  const auto& track = trace.tracks.at(all[1].track);
  EXPECT_EQ(track.name, "collective");
  EXPECT_EQ(trace.tracks.at(track.parent).name, "NPU 3");
  EXPECT_EQ(trace.tracks.at(track.parent).place, 3U);
}

TEST(Perfetto, ArrowsLeadFromTheBeginOfASendToTheEndOfItsReceive) {
  convert::Run run;
  add_message(run, 5000, 6000, 1000, 9000, 1ULL << 40U);  // posted before it is sent
  const PerfettoTrace trace = decoded(run, "perfetto,counters=none");
  std::vector<std::string> order;
  for (const PerfettoEvent& e : trace.events) {
    if (!e.flows.empty()) order.push_back("from " + std::to_string(e.time));
    if (!e.last_flows.empty()) order.push_back("to " + std::to_string(e.time));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"from 5", "to 9"}));
  EXPECT_EQ(begins(trace)[1].args, (std::map<std::string, std::uint64_t>{{"node", 0}, {"bytes", 64}, {"peer", 1}}));
}

TEST(Perfetto, AMessageThatTakesNoTimeHasItsArrow) {
  convert::Run run;
  add_message(run, 5000, 5000, 1000, 5000, 1);
  add_message(run, 5000, 5000, 5000, 5000, 2);
  add_message(run, 5000, 8000, 5000, 5400, 3);  // within the nanosecond
  (void)decoded(run);
}

TEST(Perfetto, ArrowsWithOneEndAreLeftOut) {
  convert::Run run;
  run.status = RunStatus::unmatched;
  add_message(run, 0, 1000, 0, 1000, 1);
  run.timeline.slices.pop_back();
  add_message(run, 5000, 6000, 1000, 2000, 2);  // received before it is sent: clocks differ
  EXPECT_TRUE(begins(decoded(run))[0].flows.empty());
  run.timeline.slices.clear();
  add_message(run, 1000, 2000, 1000, 2000, 1);
  for (const PerfettoEvent& e : decoded(run, "perfetto,ranks=0").events) EXPECT_TRUE(e.flows.empty());
  for (const PerfettoEvent& e : decoded(run, "perfetto,flows=none").events) EXPECT_TRUE(e.flows.empty());
}

// The arrows, by the names of their slices.
std::vector<std::string> arrows_of(const PerfettoTrace& trace) {
  std::map<std::uint64_t, std::string> from, open;  // by arrow, by track
  std::vector<std::string> out;
  for (const PerfettoEvent& e : trace.events) {
    if (e.type == 1) open[e.track] = e.name;
    for (const std::uint64_t id : e.flows) from[id] = e.name;
    for (const std::uint64_t id : e.last_flows) out.push_back(from.at(id) + " > " + open.at(e.track));
  }
  return out;
}

TEST(Perfetto, DependenciesAreArrowsOnRequest) {
  convert::Run run;
  add(run, 0, Lane::cpu, 0, 9000, "launch");
  add(run, 0, Lane::compute, 5000, 20'000, "gemm");  // begins before the launch ends
  add(run, 1, Lane::compute, 20'000, 30'000, "relu");
  add(run, 1, Lane::compute, 20'001, 30'000, "at once");
  add_message(run, 0, 1000, 0, 2000, 1);
  run.deps = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 0}};
  const std::vector<std::string> all = {"launch > gemm", "launch > relu", "gemm > relu"};
  EXPECT_EQ(arrows_of(decoded(run, "perfetto,flows=deps")), all);
  EXPECT_EQ(arrows_of(decoded(run, "perfetto,flows=deps,ranks=0")), (std::vector<std::string>{"launch > gemm"}));
  EXPECT_EQ(arrows_of(decoded(run, "perfetto,flows=deps,window=10ns..")),
            (std::vector<std::string>{"gemm > relu"}));
  EXPECT_EQ(arrows_of(decoded(run)), (std::vector<std::string>{"send > recv"}));
  const std::vector<convert::Run> twice = {run, run};
  const PerfettoTrace both = test::decode_perfetto(written(twice, "perfetto,flows=deps"));
  EXPECT_EQ(test::faults_of(both), "");
  EXPECT_EQ(arrows_of(both).size(), 6U);
}

TEST(Perfetto, SlicesThatBecomeOneHaveNoDependencies) {
  convert::Run run;
  add(run, 0, Lane::compute, 0, 10'000, "long");
  add(run, 0, Lane::compute, 10'000, 11'000, "short");
  add(run, 0, Lane::compute, 11'000, 12'000, "short");
  add(run, 0, Lane::compute, 12'000, 22'000, "last");
  run.deps = {{0, 1}, {0, 3}, {1, 2}, {2, 3}};
  EXPECT_EQ(arrows_of(decoded(run, "perfetto,flows=deps,min=5ns")), (std::vector<std::string>{"long > last"}));
  run.deps.clear();
  EXPECT_NE(perfetto_failure_of(run, "perfetto,flows=deps").find("has no recorded dependencies"),
            std::string::npos);
}

TEST(Perfetto, SlicesAreAsLongAsTheirWholeNanosecondsAndSayTheRest) {
  convert::Run run;
  add(run, 0, Lane::compute, 499, 1500);       // 0 … 1 ns
  add(run, 0, Lane::compute, 1500, 1500);      // nothing
  add(run, 0, Lane::compute, 1500, 3000);      // 2 … 3 ns
  add(run, 0, Lane::compute, 10'000, 12'000);  // exact
  add(run, 1, Lane::recv, 1500, 4000);         // to its end: 2 … 4 ns
  std::vector<std::string> times;
  const PerfettoTrace trace = decoded(run);
  for (const PerfettoEvent& e : trace.events)
    times.push_back((e.type == 1 ? "begin " : "end ") + std::to_string(e.time));
  EXPECT_EQ(times, (std::vector<std::string>{"begin 0", "end 1", "begin 2", "end 2", "begin 2", "begin 2", "end 3",
                                             "end 4", "begin 10", "end 12"}));
  const auto all = begins(trace);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].args.at("rest_ps"), 1U);
  EXPECT_FALSE(all[1].args.contains("rest_ps"));
  EXPECT_EQ(all[2].args.at("rest_ps"), 500U);
  EXPECT_EQ(all[3].args.at("rest_ps"), 500U);
  EXPECT_FALSE(all[4].args.contains("rest_ps"));
  EXPECT_TRUE(begins(decoded(run, "perfetto,args=none"))[0].args.empty());
}

TEST(Perfetto, CountsBytesUnderWay) {
  convert::Run run;
  add_message(run, 1000, 2000, 0, 5000, 1, 100);
  add_message(run, 2000, 3000, 0, 5000, 2, 50);
  std::vector<std::pair<std::uint64_t, std::int64_t>> values;
  for (const PerfettoEvent& e : decoded(run).events) {
    if (e.type == 4) values.emplace_back(e.time, e.value);
  }
  EXPECT_EQ(values, (std::vector<std::pair<std::uint64_t, std::int64_t>>{{1, 100}, {2, 150}, {5, 0}}));
  for (const PerfettoEvent& e : decoded(run, "perfetto,counters=none").events) EXPECT_NE(e.type, 4U);
}

TEST(Perfetto, CountsMemoryAndLinks) {
  convert::Run run;
  add(run, 0, Lane::compute, 0, 4000);
  run.reached_ps = 4000;
  run.memory = {{.npu = 0, .time_ps = 1000, .bytes = 7}, {.npu = 9, .time_ps = 0, .bytes = 1}};
  for (const int i : {0, 1}) {
    run.links.push_back({.from = run.texts.add("npu0"),
                         .to = run.texts.add("npu" + std::to_string(i + 1)),
                         .busy_ps = 10 * (i + 1)});
  }
  run.link_bins_each = 2;
  run.link_bin_ps = 2000;
  run.link_bins = {0, 0, 255, 51};
  std::map<std::string, std::string> values;
  const PerfettoTrace trace = decoded(run, "perfetto,counters=all");
  for (const PerfettoEvent& e : trace.events) {
    if (e.type == 4)
      values[trace.tracks.at(e.track).name] += std::to_string(e.time) + ":" + std::to_string(e.value) + " ";
  }
  EXPECT_EQ(values["local memory"], "1:7 ");
  EXPECT_EQ(values["npu0 → npu2"], "0:100 2:20 4:0 ");
  EXPECT_EQ(values["npu0 → npu1"], "0:0 ");
}

TEST(Perfetto, SeveralRunsStandSideBySide) {
  convert::Run a, b;
  a.title = b.title = "llama";
  add_message(a, 0, 1000, 0, 1000, 5);
  add_message(b, 0, 2000, 0, 2000, 5);
  const std::vector<convert::Run> runs = {a, b};
  const PerfettoTrace trace = test::decode_perfetto(written(runs, "perfetto"));
  EXPECT_EQ(test::faults_of(trace), "");
  std::map<std::uint64_t, std::string> processes;
  std::set<std::uint64_t> pids;
  for (const auto& [uuid, t] : trace.tracks) {
    if (t.pid == 0) continue;
    processes[t.place] = t.name;
    pids.insert(t.pid);
  }
  EXPECT_EQ(processes,
            (std::map<std::uint64_t, std::string>{
                {0, "llama: NPU 0"}, {1, "llama (2): NPU 0"}, {2, "llama: NPU 1"}, {3, "llama (2): NPU 1"}}));
  EXPECT_EQ(pids.size(), 4U);
}

TEST(Perfetto, PartsOfARun) {
  convert::Run run;
  for (int i = 0; i < 5; ++i) add(run, 0, Lane::compute, i * 1000, i * 1000 + 600, "op");
  add(run, 0, Lane::compute, 5000, 9000, "long");
  add(run, 1, Lane::compute, 0, 9000, "other");
  EXPECT_EQ(begins(decoded(run, "perfetto,ranks=1")).size(), 1U);
  EXPECT_EQ(begins(decoded(run, "perfetto,window=2ns..3ns,ranks=0")).size(), 2U);
  const auto joined = begins(decoded(run, "perfetto,min=1ns"));
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].name, "5 × op");
  EXPECT_EQ(joined[0].args.at("count"), 5U);
  EXPECT_EQ(joined[0].args.at("sum_ps"), 3000U);
  EXPECT_NE(written({&run, 1}, "chrome,min=1ns").find(R"("count":5,"sum":0.003)"), std::string::npos);
}

TEST(Perfetto, RefusesOptionsThatSayNothing) {
  EXPECT_EQ(perfetto_failure("perfetto,window=5"), "window=5: expected FROM..TO, such as 1ms..2ms or 1ms..");
  EXPECT_EQ(perfetto_failure("perfetto,window=5ns..1ns"), "window=5ns..1ns: the window ends before it begins");
  EXPECT_EQ(perfetto_failure("perfetto,min=soon"),
            "min=…soon: not a time (examples: 1.5us, 500ns, 2ms; a number without a unit is in ns)");
  EXPECT_EQ(perfetto_failure("perfetto,args=all"), "args=all: expected default or none");
  EXPECT_EQ(perfetto_failure("perfetto,counters=some"), "counters=some: expected none, npus, links or all");
  EXPECT_EQ(perfetto_failure("chrome,counters=none"),
            "writing chrome: unknown option 'counters'; known: window, ranks, min, align, args, flows, compress");
}

TEST(Perfetto, NamesAreUtf8) {
  convert::Run run;
  run.title = "\xff";
  add(run, 0, Lane::compute, 0, 1000, "a\xc3(\x80");
  EXPECT_EQ(begins(decoded(run))[0].name, "a\xEF\xBF\xBD(\xEF\xBF\xBD");
  run.timeline.slices.clear();
  EXPECT_TRUE(decoded(run).events.empty());
}

TEST(Perfetto, RandomRunsBalance) {
  std::minstd_rand engine(7);
  const auto random = [&](std::uint64_t n) { return static_cast<std::uint32_t>(engine() % n); };
  for (int round = 0; round < 50; ++round) {
    convert::Run run;
    run.recorded = true;
    for (int i = 0; i < 200; ++i) {
      Slice s = slice(run, random(3), static_cast<Lane>(random(6)), random(20'000), 0, "n");
      s.end_ps = s.begin_ps + (random(4) == 0 ? 0 : random(5000));
      s.flow = random(40);
      s.bytes = static_cast<std::int64_t>(random(100)) - 1;
      run.timeline.slices.push_back(s);
    }
    const auto all = begins(decoded(run));
    ASSERT_EQ(all.size(), 200U);
    Picoseconds exact = 0;
    std::uint64_t total = 0;
    for (const Slice& s : run.timeline.slices) exact += s.end_ps - s.begin_ps;
    std::map<std::uint64_t, PerfettoEvent> open;
    for (const PerfettoEvent& e : decoded(run).events) {
      if (e.type == 1) open[e.track] = e;
      if (e.type != 2) continue;
      const PerfettoEvent& begin = open[e.track];
      total += (e.time - begin.time) * 1000;
      if (const auto rest = begin.args.find("rest_ps"); rest != begin.args.end()) total += rest->second;
    }
    EXPECT_EQ(total, static_cast<std::uint64_t>(exact));
    (void)decoded(run, "perfetto,min=1ns,window=1ns..15ns");
  }
}

}  // namespace
}  // namespace convert
