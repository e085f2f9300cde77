// SPDX-License-Identifier: MIT
#include "formats/timeline/chrome.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/diagnostic.h"

namespace convert {
namespace {

std::string chrome(const Timeline& timeline) {
  std::string text;
  const auto out = memory_output(text);
  write_chrome(timeline, *out);
  out->close();
  return text;
}

TEST(Chrome, WritesSlicesThreadsAndArrows) {
  Timeline t;
  t.slices.push_back({.begin_ps = 1'000'000,
                      .end_ps = 3'500'001,
                      .node = 7,
                      .bytes = 64,
                      .flow = 1,
                      .rank = 0,
                      .name = t.names.add("a \"b\""),
                      .peer = 1,
                      .lane = Lane::send});
  t.slices.push_back({.begin_ps = 0,
                      .end_ps = 3'500'001,
                      .node = 8,
                      .bytes = 64,
                      .flow = 1,
                      .rank = 1,
                      .name = t.names.add("r"),
                      .peer = 0,
                      .lane = Lane::recv});
  EXPECT_EQ(chrome(t),
            R"({"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":0,"tid":0,"args":{"name":"rank 0"}},
{"name":"a \"b\"","cat":"send","ph":"X","pid":0,"tid":0,"ts":1,"dur":2.500001,"args":{"node":7,"bytes":64,"peer":1}},
{"name":"message","cat":"message","ph":"s","id":"0x1","pid":0,"tid":0,"ts":1},
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"send"}},
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"rank 1"}},
{"name":"r","cat":"recv","ph":"X","pid":1,"tid":0,"ts":0,"dur":3.500001,"args":{"node":8,"bytes":64,"peer":0}},
{"name":"message","cat":"message","ph":"f","bp":"e","id":"0x1","pid":1,"tid":0,"ts":3.5},
{"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"recv"}}
]}
)");
}

TEST(Chrome, OverlappingSlicesGetThreadsOfTheirOwn) {
  Timeline t;
  const std::uint32_t name = t.names.add("x");
  t.slices.push_back({.begin_ps = 0, .end_ps = 10, .node = 0, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 5, .end_ps = 15, .node = 1, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 10, .end_ps = 20, .node = 2, .name = name, .lane = Lane::compute});
  t.slices.push_back({.begin_ps = 0, .end_ps = 1, .node = 3, .name = name, .lane = Lane::recv});
  const std::string text = chrome(t);
  EXPECT_NE(text.find(R"("tid":0,"ts":0,"dur":0.00001,"args":{"node":0})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":1,"ts":0.000005,"dur":0.00001,"args":{"node":1})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":0,"ts":0.00001,"dur":0.00001,"args":{"node":2})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("tid":2,"ts":0,"dur":0.000001,"args":{"node":3})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("args":{"name":"compute 2"})"), std::string::npos) << text;
}

TEST(Chrome, EmptyTimelineIsADocument) {
  EXPECT_EQ(chrome(Timeline{}), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n]}\n");
}

convert::Run read(const std::string& text, const std::string& from = "chrome", std::size_t warnings = 0) {
  const auto input = memory_input("f.json", text);
  const FormatChoice choice = parse_format_choice(from, Direction::read);
  Diagnostics diagnostics;
  convert::Run run = choice.format->read_run({*input, {}, choice.options, diagnostics});
  EXPECT_EQ(diagnostics.warnings(), warnings);
  return run;
}

std::string failure(const std::string& text, const std::string& from = "chrome") {
  try {
    (void)read(text, from);
  } catch (const Error& e) {
    return format_location(e.where()) + ": " + e.what();
  }
  return "";
}

// The slices of a run, one per line: rank, lane, times, name.
std::string slices(const convert::Run& run) {
  std::string out;
  for (const Slice& s : run.timeline.slices) {
    out += std::to_string(s.rank) + ' ' + std::string(lane_name(s.lane)) + ' ' + std::to_string(s.begin_ps) + ' ' +
           std::to_string(s.end_ps) + ' ' + std::string(run.timeline.name(s)) + (s.open ? " open" : "") + '\n';
  }
  return out;
}

std::string written(const convert::Run& run) {
  std::string text;
  const auto out = memory_output(text);
  write_chrome(std::span(&run, 1), {}, *out);
  out->close();
  return text;
}

TEST(ChromeReader, ReadsEventsInAnyOrder) {
  const convert::Run run = read(R"({"other": {"a": [1]}, "traceEvents": [
{"ph":"E","pid":7,"tid":"a","ts":4},
{"name":"late","ph":"X","pid":9,"tid":1,"ts":5.5,"dur":1e-3,"cat":"kernel"},
{"name":"outer","ph":"B","pid":7,"tid":"a","ts":1,"cat":"cpu_op"},
{"name":"inner","ph":"B","pid":7,"tid":"a","ts":2},
{"ph":"E","pid":7,"tid":"a","ts":3},
{"name":"never","ph":"B","pid":9,"tid":1,"ts":2.0000005},
{"name":"c","ph":"C","pid":9,"ts":1,"args":{"v":3}}, {"name":"i","ph":"i","pid":9,"ts":1,"s":"g"}
]})");
  EXPECT_EQ(slices(run),
            "1 compute 5500000 5501000 late\n"
            "0 compute 2000000 3000000 inner\n"
            "0 cpu 1000000 4000000 outer\n"
            "1 compute 2000001 5501000 never open\n");
  EXPECT_TRUE(run.recorded);
  EXPECT_EQ(run.total_ps, 5'501'000);
  EXPECT_EQ(run.limits, (std::vector<std::string>{"1 counter event of the file is omitted",
                                                  "1 instant event of the file is omitted"}));
  ASSERT_EQ(run.npus.size(), 2U);
  EXPECT_EQ(run.npus[0].finish_ps, 4'000'000);
  EXPECT_EQ(run.npus[1].finish_ps, -1);
  EXPECT_EQ(run.npus[1].nodes_done, 1U);
}

TEST(ChromeReader, TakesLanesFromCategoriesNamesAndThreads) {
  const convert::Run run = read(R"([
{"name":"thread_name","ph":"M","pid":0,"tid":5,"args":{"name":"send 2"}},
{"name":"process_name","ph":"M","pid":0,"args":{"name":"measured: NPU 4"}},
{"name":"a","ph":"X","pid":0,"tid":5,"ts":0,"dur":1},
{"name":"COMM_RECV_NODE_x","ph":"X","pid":0,"tid":6,"ts":0,"dur":1},
{"name":"ncclDevKernel_AllReduce","cat":"kernel","ph":"X","pid":0,"tid":6,"ts":1,"dur":1},
{"name":"Memcpy","cat":"gpu_memcpy","ph":"X","pid":0,"tid":6,"ts":2,"dur":1},
{"name":"b","cat":"memory","ph":"X","pid":0,"tid":6,"ts":3,"dur":1,"args":{"node":12,"bytes":5,"peer":2}}])");
  EXPECT_EQ(slices(run),
            "4 send 0 1000000 a\n4 recv 0 1000000 COMM_RECV_NODE_x\n"
            "4 collective 1000000 2000000 ncclDevKernel_AllReduce\n"
            "4 memory 2000000 3000000 Memcpy\n4 memory 3000000 4000000 b\n");
  EXPECT_EQ(run.timeline.slices[4].node, 12U);
  EXPECT_EQ(run.timeline.slices[4].bytes, 5);
  EXPECT_EQ(run.timeline.slices[4].peer, 2);
}

TEST(ChromeReader, TimesOfAClockCountFromTheFirstEvent) {
  const convert::Run run = read(R"([{"name":"a","ph":"X","pid":31337,"tid":1,"ts":1760000000123456.123456,"dur":2},
{"name":"b","ph":"X","pid":31338,"tid":1,"ts":1760000000123458.1234565,"dur":"1.5"}])");
  EXPECT_EQ(slices(run), "0 compute 0 2000000 a\n1 compute 2000001 3500001 b\n");
  EXPECT_EQ(slices(read(R"([{"name":"a","ph":"X","pid":0,"tid":1,"ts":-5,"dur":2}])")), "0 compute 0 2000000 a\n");
  EXPECT_EQ(slices(read(R"([{"name":"a","ph":"X","pid":0,"tid":1,"ts":5,"dur":8}])", "chrome,unit=ns")),
            "0 compute 5000 13000 a\n");
}

TEST(ChromeReader, WarnsOfMillisecondsOfChakrasVisualiser) {
  const char* text = R"({"meta_user": "aras", "traceEvents": [
{"pid":0,"tid":1,"ts":0.002262,"dur":6e-06,"ph":"X","name":"MEM_LOAD_NODE"}]})";
  EXPECT_EQ(slices(read(text, "chrome", 1)), "0 memory 0 6 MEM_LOAD_NODE\n");
  EXPECT_EQ(slices(read(text, "chrome,unit=ms")), "0 memory 0 6000 MEM_LOAD_NODE\n");
}

TEST(ChromeReader, ArrowsFindTheirSlices) {
  const convert::Run run = read(R"([
{"name":"s","cat":"send","ph":"X","pid":0,"tid":0,"ts":1,"dur":4},
{"name":"r1","cat":"recv","ph":"X","pid":1,"tid":0,"ts":2,"dur":1},
{"name":"r2","cat":"recv","ph":"X","pid":1,"tid":0,"ts":4,"dur":3},
{"name":"k","cat":"compute","ph":"X","pid":1,"tid":1,"ts":4,"dur":3},
{"ph":"f","id":1,"pid":1,"tid":0,"ts":3.5,"cat":"m","name":"m"},
{"ph":"s","id":1,"pid":0,"tid":0,"ts":2,"cat":"m","name":"m"},
{"ph":"s","id":1,"pid":0,"tid":0,"ts":2,"cat":"other","name":"m"},
{"ph":"f","bp":"e","id":1,"pid":1,"tid":1,"ts":5,"cat":"other","name":"m"}])");
  EXPECT_EQ(run.timeline.slices[0].flow, 1U);
  EXPECT_EQ(run.timeline.slices[1].flow, 0U);
  EXPECT_EQ(run.timeline.slices[2].flow, 1U);
  EXPECT_EQ(run.deps, (std::vector<convert::Run::Dep>{{0, 3}}));
  EXPECT_TRUE(run.limits.empty());
}

TEST(ChromeReader, ArrowsThatAreOfNoMessageAreDependencies) {
  const std::string text = R"([
{"name":"launch","cat":"cpu_op","ph":"X","pid":0,"tid":0,"ts":1,"dur":4},
{"name":"gemm","cat":"kernel","ph":"X","pid":0,"tid":7,"ts":9,"dur":3},
{"ph":"s","id":5,"pid":0,"tid":0,"ts":1,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":5,"pid":0,"tid":7,"ts":9,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"s","id":6,"pid":0,"tid":0,"ts":1,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":6,"pid":0,"tid":7,"ts":9,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"s","id":7,"pid":0,"tid":0,"ts":1,"cat":"ac2g","name":"ac2g"}])";
  const convert::Run run = read(text);
  EXPECT_EQ(run.deps, (std::vector<convert::Run::Dep>{{0, 1}}));
  EXPECT_EQ(run.limits,
            (std::vector<std::string>{"1 arrow of the file, not from one slice to another, is omitted"}));
}

// A run of random slices, on lanes that do not overlap, written and read again.
TEST(ChromeReader, ReadsWhatIsWritten) {
  std::minstd_rand engine(3);
  const auto random = [&](std::uint64_t n) { return static_cast<std::uint32_t>(engine() % n); };
  convert::Run run;
  Picoseconds at = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Picoseconds length = random(3) == 0 ? 0 : random(2'000'000);
    const bool message = random(2) == 0;
    Slice s{
        .begin_ps = at, .end_ps = at + length, .node = i, .rank = random(5), .name = run.timeline.names.add("n")};
    s.lane = message ? Lane::send : Lane::compute;
    if (message) {
      s.flow = i + 1;
      s.bytes = i;
      s.peer = 6;
      Slice r = s;
      r.rank = 6;
      r.lane = Lane::recv;
      r.peer = static_cast<std::int32_t>(s.rank);
      run.timeline.slices.push_back(r);
    }
    run.timeline.slices.push_back(s);
    at += random(2) == 0 ? length : length + 5;
  }
  const std::string text = written(run);
  const convert::Run again = read(text);
  EXPECT_EQ(again.total_ps, at <= 0 ? 0 : again.reached_ps);
  const auto plain = [](std::string s) {  // numbers of arrows are local to the file
    for (std::size_t i = s.find("\"id\":\""); i != std::string::npos; i = s.find("\"id\":\"", i + 1))
      s.erase(i + 6, s.find('"', i + 6) - i - 6);
    return s;
  };
  EXPECT_EQ(plain(written(again)), plain(text));
  EXPECT_EQ(written(read(written(again))), written(again));
}

TEST(ChromeReader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(failure("{\"a\": 1}"), "f.json: has no 'traceEvents': it is not a Chrome trace");
  EXPECT_EQ(failure("[{\"ph\":\"X\",\"pid\":1,\"tid\":1}]"), "f.json:1:2: the event has no time 'ts'");
  EXPECT_EQ(failure("[{\"ph\":\"X\",\"ts\":\"x\"}]"), "f.json:1:17: the event has no time 'ts'");
  EXPECT_EQ(failure("[{\"ph\":\"X\",\"ts\":1e999}]"), "f.json:1:17: the event has no time 'ts'");
  EXPECT_EQ(failure("[{\"ph\":\"X\",\"ts\":0,\"dur\":1e20}]"),
            "f.json:1:25: 'dur' is not a time, or exceeds 106 days");
  EXPECT_EQ(failure("[{\"ph\":\"X\",\"ts\":0},{\"ph\":\"X\",\"ts\":1e13}]"),
            "f.json: the trace spans more than 106 days");
  EXPECT_EQ(failure("[{\"ts\":0}]"), "f.json:1:2: the event has no 'ph'");
  EXPECT_NE(failure("[{\"ph\":\"X\",\"ts\":0}").find("f.json:1:"), std::string::npos);
  EXPECT_EQ(failure("[]", "chrome,unit=s"), ": unit=s: expected ns, us or ms");
}

TEST(ChromeReader, DurationsBelowZeroAndLoneEndsAreTold) {
  EXPECT_EQ(
      slices(read(R"([{"name":"a","ph":"X","pid":0,"tid":1,"ts":0,"dur":-1},{"ph":"E","pid":0,"tid":1,"ts":0}])",
                  "chrome", 2)),
      "0 compute 0 0 a\n");
}

TEST(ChromeReader, KnowsKinetosFilesFromOthers) {
  EXPECT_TRUE(sniff_chrome(chrome(Timeline{})));
  EXPECT_TRUE(sniff_chrome(R"([{"name":"a","ph":"X","ts":1}])"));
  EXPECT_TRUE(sniff_chrome(R"({"traceEvents": [{"ph":"M","name":"process_name"}, {"ph":"X","cat":"send"}]})"));
  for (const char* other :
       {R"([{"id":1}])", "[]", "[1]", "{}", "", R"({"nodes":[]})", R"({"schemaVersion":1,"traceEvents":[]})",
        R"({"traceEvents":[{"ph":"M"},{"ph":"X","cat":"cpu_op"}]})",
        R"({"distributedInfo":{},"traceEvents":[]})"}) {
    EXPECT_FALSE(sniff_chrome(other)) << other;
  }
  const auto format = [](const char* head) { return detect_format(head, "x.json")->name; };
  EXPECT_EQ(format(R"({"traceEvents":[{"ph":"X","cat":"cpu_op"}]})"), "kineto");
  EXPECT_EQ(format(R"({"traceEvents":[{"ph":"X","cat":"mine"}]})"), "chrome");
}

}  // namespace
}  // namespace convert
