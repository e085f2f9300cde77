// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "core/run.h"
#include "formats/format.h"
#include "io/input.h"

namespace convert {
namespace {

Run read(const std::string& text, Diagnostics& diagnostics, const std::string& from = "astra-log") {
  const auto input = memory_input("f.log", text);
  const FormatChoice choice = parse_format_choice(from, Direction::read);
  return choice.format->read_run({*input, {}, choice.options, diagnostics});
}
std::string slices(const std::string& text, const std::string& from = "astra-log", std::size_t warnings = 0) {
  Diagnostics diagnostics;
  const Run run = read(text, diagnostics, from);
  EXPECT_EQ(diagnostics.warnings(), warnings);
  std::string out;
  for (const Slice& s : run.timeline.slices) {
    out += std::to_string(s.rank) + '.' + std::to_string(s.node) + ' ' + std::string(lane_name(s.lane)) + ' ' +
           std::to_string(s.begin_ps) + ' ' + std::to_string(s.end_ps) + ' ' + std::string(run.timeline.name(s)) +
           (s.open ? " open" : "") + '\n';
  }
  return out;
}
std::string log_failure(const std::string& text, const std::string& from = "astra-log") {
  try {
    Diagnostics diagnostics;
    (void)read(text, diagnostics, from);
  } catch (const Error& e) {
    return format_location(e.where()) + ": " + e.what();
  }
  return "";
}

TEST(IssueLog, ReadsChakrasLines) {
  EXPECT_EQ(
      slices("ring of node 0, id: 0 dimension: local total nodes in ring: 2\n"
             "issue,sys->id=0,tick=244,node->id=0,node->name=COMM_SEND_NODE_x_0\r\n"
             "issue,npu=1,cycle=802,id=1,name=MEM_STORE_NODE_REMOTE_MEMORY_o=1,2\n"
             "callback,sys->id=0,tick=6669,node->id=0,node->name=COMM_SEND_NODE_x_0\n"
             "callback,npu=1,cycle=900,id=1,name=MEM_STORE_NODE_REMOTE_MEMORY_o=1,2"),
      "0.0 send 244000 6669000 COMM_SEND_NODE_x_0\n1.1 memory 802000 900000 MEM_STORE_NODE_REMOTE_MEMORY_o=1,2\n");
}

TEST(IssueLog, ReadsAstraSimsLines) {
  EXPECT_EQ(slices("[2025-01-01 12:00:00.000] [workload] [debug] issue,sys->id=3, tick=0, node->id=7, "
                   "node->name=a, b, node->type=7\n"
                   "[2025-01-01 12:00:00.000] [workload] [info] sys[3] finished, 10 cycles\n"
                   "[2025-01-01 12:00:00.001] [workload] [debug] callback,sys->id=3, tick=10, node->id=7, "
                   "node->name=a, b, node->type=7\n"),
            "3.7 collective 0 10000 a, b\n");
}

TEST(IssueLog, TicksHaveAUnit) {
  const std::string text = "issue,a=0,b=3,c=1,d=x\ncallback,a=0,b=5,c=1,d=x\n";
  EXPECT_EQ(slices(text), "0.1 compute 3000 5000 x\n");
  EXPECT_EQ(slices(text, "astra-log,mhz=500"), "0.1 compute 6000 10000 x\n");
  EXPECT_EQ(slices(text, "astra-log,mhz=1410"), "0.1 compute 2128 3546 x\n");
  EXPECT_EQ(slices(text, "astra-log,unit=us"), "0.1 compute 3000000 5000000 x\n");
  EXPECT_EQ(slices(text, "astra-log,unit=2.5ns"), "0.1 compute 7500 12500 x\n");
  EXPECT_EQ(log_failure(text, "astra-log,mhz=0"), ": mhz=0: expected a frequency in MHz");
  EXPECT_EQ(log_failure(text, "astra-log,unit=fast"), ": unit=fast: expected the time of a tick: ns, us, 2.5ns");
  EXPECT_EQ(log_failure(text, "astra-log,unit=ns,mhz=1"),
            ": unit= and mhz= both set the duration of a tick; give only one");
}

TEST(IssueLog, WhatDoesNotMatchIsTold) {
  EXPECT_EQ(
      slices("issue,a=0,b=3,c=1,d=x\nissue,a=0,b=4,c=2,d=y\ncallback,a=0,b=9,c=2,d=y\ncallback,a=1,b=9,c=2,d=y\n",
             "astra-log", 2),
      "0.1 compute 3000 9000 x open\n0.2 compute 4000 9000 y\n");
  // A node that runs again before it has ended: first in, first out.
  EXPECT_EQ(
      slices("issue,a=0,b=1,c=1,d=x\nissue,a=0,b=2,c=1,d=x\ncallback,a=0,b=3,c=1,d=x\ncallback,a=0,b=4,c=1,d=x\n"),
      "0.1 compute 1000 3000 x\n0.1 compute 2000 4000 x\n");
}

TEST(IssueLog, RefusesWithTheLine) {
  EXPECT_EQ(log_failure("x\nissue,a=0,b=3\n"), "f.log:2: expected 'issue,…=NPU,…=TICK,…=NODE,…=NAME'");
  EXPECT_EQ(log_failure("issue,a=x,b=3,c=1,d=x\n"), "f.log:1: the NPU is not a number");
  EXPECT_EQ(log_failure("issue,a=0,b=-3,c=1,d=x\n"), "f.log:1: the tick is not a number, or exceeds 106 days");
  EXPECT_EQ(log_failure("issue,a=0,b=18446744073709551615,c=1,d=x\n"),
            "f.log:1: the tick is not a number, or exceeds 106 days");
  EXPECT_EQ(log_failure("issue,a=0,b=3,c=,d=x\n"), "f.log:1: the node's id is not a number");
  EXPECT_EQ(log_failure("issue,a=0,b=3,c=1,d=x\ncallback,a=0,b=2,c=1,d=x\n"),
            "f.log:2: node 1 ends before it was issued");
  EXPECT_TRUE(
      log_failure("nothing\n").starts_with("f.log: has no line 'issue,…' or 'callback,…'; ASTRA-sim writes them"));
}

TEST(IssueLog, IsRecognised) {
  const auto format = [](const char* head, const char* name) { return detect_format(head, name); };
  EXPECT_EQ(format("issue,a=0,b=3,c=1,d=x\n", "x.csv")->name, "astra-log");
  EXPECT_EQ(format("[a] [workload] [info] b\n[a] [workload] [debug] issue,a=0, b=3, c=1, d=x\n", "x")->name,
            "astra-log");
  EXPECT_EQ(format("[a] [system] [info] ring of node 0\n", "log.log")->name, "astra-log");
}

TEST(IssueLog, LinesAcrossWindows) {
  std::string text;
  std::string expected;
  for (int i = 0; i < 60'000; ++i) {
    const std::string n = std::to_string(i);
    text += "issue,a=0,b=" + n + ",c=" + n + ",d=name\ncallback,a=0,b=" + n + ",c=" + n + ",d=name\n";
    expected += "0." + n + " compute " + n + (i == 0 ? " " : "000 ") + n + (i == 0 ? "" : "000") + " name\n";
  }
  EXPECT_EQ(slices(text), expected);
}

}  // namespace
}  // namespace convert
