// SPDX-License-Identifier: MIT
#include "passes/window/window.h"

#include <gtest/gtest.h>

#include "common/error_text.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

TraceBuilder& ran(TraceBuilder& b, std::uint64_t start_us, std::uint64_t duration_us) {
  b.table().nodes.back().start_us = start_us;
  b.table().nodes.back().duration_us = duration_us;
  return b;
}

std::string in_window(const Trace& trace, Picoseconds from_us, Picoseconds to_us) {
  std::string out;
  const TimeWindow window{from_us * ps_per_us, to_us * ps_per_us};
  for (const bool in : nodes_in_window(trace, recorded_span(trace), window)) out += in ? '1' : '0';
  return out;
}

TEST(Window, NodesThatOverlapAreInIt) {
  TraceBuilder b;
  ran(b.comp(0), 5000, 10);  // 0 to 10
  ran(b.comp(1), 5010, 10);  // 10 to 20
  ran(b.comp(2), 5015, 0);   // no duration
  ran(b.comp(3), 5020, 0);
  ran(b.comp(4), 5020, 30);  // 20 to 50
  const Trace& t = b.trace();
  EXPECT_EQ(in_window(t, 0, 50), "11111");
  EXPECT_EQ(in_window(t, 10, 20), "01100");
  EXPECT_EQ(in_window(t, 20, 21), "00011");
  EXPECT_EQ(in_window(t, 9, 11), "11000");
  EXPECT_EQ(in_window(t, 20, 20), "00000");
  EXPECT_EQ(in_window(t, 50, 60), "00000");
}

TEST(Window, NanosecondsCount) {
  TraceBuilder b;
  ran(b.comp(0), 5000, 1);
  ran(b.comp(1).set(attr::start_nanos, 5'001'250).set(attr::duration_nanos, 500), 5001, 0);
  const RecordedSpan span = recorded_span(b.trace());
  EXPECT_EQ(span.begin_ns(), 5'000'000);
  EXPECT_EQ(span.last_ns, 5'001'750);
  EXPECT_FALSE(nodes_in_window(b.trace(), span, {1'750'000, 2'000'000})[1]);
  EXPECT_TRUE(nodes_in_window(b.trace(), span, {1'749'999, 2'000'000})[1]);
}

TEST(Window, NodesWithoutTimesRunWhenTheirParentsHaveEnded) {
  TraceBuilder b;
  b.comp(0);  // before its first dependent
  ran(b.comp(1, {0}), 5000, 10);
  b.comp(2, {1});  // at 10
  ran(b.comp(3, {2}), 5030, 10);
  b.comp(4);  // nothing is known about it
  EXPECT_EQ(in_window(b.trace(), 0, 5), "11000");
  EXPECT_EQ(in_window(b.trace(), 9, 30), "01100");
  EXPECT_EQ(in_window(b.trace(), 11, 40), "00010");
}

// A clock that begins with the run: the first node seems to have no begin.
TEST(Window, AClockMayBeginWithTheRun) {
  TraceBuilder b;
  ran(b.comp(0), 0, 10);
  ran(b.comp(1, {0}), 10, 10);
  EXPECT_EQ(recorded_span(b.trace()).begin_ns(), 0);
  EXPECT_EQ(in_window(b.trace(), 0, 5), "10");
  EXPECT_EQ(in_window(b.trace(), 10, 15), "01");
}

TEST(Window, NothingIsRecorded) {
  TraceBuilder b;
  b.comp(0);
  EXPECT_EQ(recorded_span(b.trace()).last_ns, no_time);
}

// A chain of a computation, a send, and two computations.
TraceBuilder chain() {
  TraceBuilder b;
  ran(b.comp(0), 100, 10);
  ran(b.send(1, 1, 7, 64, {0}), 110, 10);
  b.set(attr::stream, 3);
  ran(b.comp(2, {1, 0}), 120, 10);
  b.table().add_string(attr::dep_rules, "sd");
  ran(b.comp(3, {2}).control(1), 130, 10);
  return b;
}

std::string text_of(const NodeTable& table) {
  std::string out;
  for (const Node& n : table.nodes) {
    out += (out.empty() ? "" : " ") + std::to_string(n.id) + (n.type == NodeType::comp ? "" : "s");
    for (const NodeId d : table.data_deps(n)) out += "<" + std::to_string(d);
    for (const NodeId d : table.ctrl_deps(n)) out += ";" + std::to_string(d);
  }
  return out;
}

TEST(Window, EdgesToWhatIsLeftOutAreDropped) {
  Trace t = chain().trace();
  const WindowCounts counts = take_window(t, {false, true, true, true}, {false, false, false, false}, {});
  EXPECT_EQ(text_of(t.nodes), "1s 2<1 3<2;1");
  EXPECT_EQ(counts.left_out, 1U);
  EXPECT_EQ(counts.dropped, 2U);
  EXPECT_EQ(string_value(t.nodes, t.nodes.attributes(t.nodes.nodes[1]), attr::dep_rules), "s");
}

TEST(Window, PartialCommunication) {
  const std::vector<bool> in(4, true), partial = {false, true, false, false};
  Trace comp = chain().trace();
  EXPECT_EQ(take_window(comp, in, partial, PartialCalls::comp).partial, 1U);
  EXPECT_EQ(text_of(comp.nodes), "0 1<0 2<1<0 3<2;1");
  const auto attrs = comp.nodes.attributes(comp.nodes.nodes[1]);
  ASSERT_EQ(attrs.size(), 1U);
  EXPECT_EQ(attrs[0].name, attr::stream);
  EXPECT_EQ(comp.nodes.nodes[1].duration_us, 10U);
  Trace drop = chain().trace();
  EXPECT_EQ(take_window(drop, in, partial, PartialCalls::drop).left_out, 0U);
  EXPECT_EQ(text_of(drop.nodes), "0 2<0 3<2;0");
  Trace error = chain().trace();
  EXPECT_EQ(error_text([&] { (void)take_window(error, in, partial, PartialCalls::error); }),
            "t.0.et:@0x10: node 1 (n) of rank 0 is in the window, but not on every participating rank; use "
            "--partial comp to make it a computation or --partial drop to omit it");
}

}  // namespace
}  // namespace convert
