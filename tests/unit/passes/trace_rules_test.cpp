// SPDX-License-Identifier: MIT
// Rules ids, deps and cycles.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

TEST(Ids, UniqueIdsAreClean) {
  TraceBuilder b;
  b.comp(3).comp(1).comp(~NodeId{0});
  EXPECT_EQ(findings(b, "ids"), Lines{});
}

TEST(Ids, EachDuplicateIsReported) {
  TraceBuilder b;
  b.comp(4).comp(7).comp(4).comp(4);
  EXPECT_EQ(findings(b, "ids"),
            (Lines{"t.0.et:@0x20: error: node 4: duplicate id: nodes number 1 and 3 of the trace have it [ids]",
                   "t.0.et:@0x30: error: node 4: duplicate id: nodes number 1 and 4 of the trace have it [ids]"}));
}

TEST(Deps, ExistingParentsAreClean) {
  TraceBuilder b;
  b.comp(7, {8}).comp(8);
  EXPECT_EQ(findings(b, "deps"), Lines{});
}

TEST(Deps, DanglingSelfAndRepeated) {
  TraceBuilder b;
  b.comp(1).comp(7, {99, 7, 1, 1}).comp(8).control(8).comp(9, {1}).control(1).comp(10).control(1).control(1);
  EXPECT_EQ(findings(b, "deps"),
            (Lines{"t.0.et:@0x10: error: node 7: data dependency on node 99, which does not exist [deps]",
                   "t.0.et:@0x10: error: node 7: data dependency on itself: it can never start [deps]",
                   "t.0.et:@0x10: warning: node 7: data dependency on node 1 repeats an earlier one [deps]",
                   "t.0.et:@0x20: error: node 8: control dependency on itself: it can never start [deps]",
                   "t.0.et:@0x40: warning: node 10: control dependency on node 1 repeats an earlier one [deps]"}));
}

TEST(Deps, ACallerMayBeWaitedForToo) {
  TraceBuilder b;
  b.comp(1).comp(2, {1}).control(1);
  EXPECT_EQ(findings(b, "deps"), Lines{});
}

TEST(Deps, LocationNamesRankNodeAndOffset) {
  TraceBuilder b(3);
  b.comp(1).comp(7, {99});
  Diagnostics diagnostics;
  check_trace(b.trace(), RuleSet::parse("deps"), diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  const Location& where = diagnostics.all()[0].where;
  EXPECT_EQ(where.file, "t.3.et");
  EXPECT_EQ(where.rank, 3);
  EXPECT_EQ(where.node, 7);
  EXPECT_EQ(where.offset, 16);
}

TEST(Cycles, AcyclicIsClean) {
  TraceBuilder b;
  b.comp(1).comp(2, {1}).comp(3, {1, 2});
  EXPECT_EQ(findings(b, "cycles"), Lines{});
}

TEST(Cycles, OnePerComponentAsAChain) {
  TraceBuilder b;
  b.comp(1).comp(2, {1, 4}).comp(3, {2}).comp(4, {3}).comp(5, {6}).comp(6, {5}).comp(7, {6});
  EXPECT_EQ(
      findings(b, "cycles"),
      (Lines{"t.0.et:@0x10: error: node 2: dependency cycle 2 → 3 → 4 → 2 (each node depends on the previous one) "
             "[cycles]",
             "t.0.et:@0x40: error: node 5: dependency cycle 5 → 6 → 5 (each node depends on the previous one) "
             "[cycles]"}));
}

TEST(Cycles, LongChainsAreAbridged) {
  TraceBuilder b;
  for (NodeId i = 0; i < 100; ++i) b.comp(i, {(i + 99) % 100});
  const Lines found = findings(b, "cycles");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("→ 14 → 15 → … 69 more … → 85 → 86 →"), std::string::npos) << found[0];
  EXPECT_NE(found[0].find("→ 99 → 0 ("), std::string::npos) << found[0];
}

}  // namespace
}  // namespace convert
