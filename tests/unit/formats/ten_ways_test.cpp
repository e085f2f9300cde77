// SPDX-License-Identifier: MIT
// Schedules over switches: data that reaches a switch leaves it once (rule R8), and a transfer is a route from NPU
// to NPU.
#include <gtest/gtest.h>

#include <string>

#include "common/expect_error.h"
#include "formats/format.h"

namespace convert::ten_ways_cases {
namespace {

Schedule read(const std::string& text) {
  Diagnostics diagnostics;
  Schedule s = find_format("ten").read_schedule(text, "f", {}, diagnostics);
  EXPECT_EQ(diagnostics.warnings(), 0U);
  return s;
}

std::string csv(const Schedule& s, const std::string& form = "csv") {
  std::string out;
  find_format("ten").write_schedule(
      s, FormatOptions(std::vector<std::pair<std::string, std::string>>{{"form", form}}), out);
  return out;
}

// NPUs 0 to 3, switches 4 and 5, each with a link to and from all others; one chunk goes to the nodes in `post`.
std::string head(const std::string& post = "3", const std::string& pre = "0") {
  std::string text =
      "#ten-schedule,2\n#collective,custom\n#npu_count,4\n#switch,4;5\n#chunk_size_bytes,1000\n#chunk,7," + pre +
      "," + post + "\n";
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b < 6; ++b) {
      if (a != b && (a > 3 || b > 3)) text += "#link," + std::to_string(a) + "," + std::to_string(b) + ",1,0\n";
    }
  }
  return text + "id,src,dst,chunk,start_us,end_us,op,continues\n";
}

TEST(TenWays, ATransferGoesFromNpuToNpu) {
  const Schedule s = read(head() + "1,0,4,7,0,2,copy,\n2,4,5,7,2,4,copy,\n3,5,3,7,5,8,copy,\n");
  EXPECT_EQ(s.nodes, 4U);
  EXPECT_EQ(s.switches, 2U);
  ASSERT_EQ(s.transfers.size(), 1U);
  const Schedule::Transfer& t = s.transfers[0];
  EXPECT_EQ(t.src, 0U);
  EXPECT_EQ(t.dst, 3U);
  EXPECT_EQ(t.id, 1);
  EXPECT_EQ(t.start, 0);
  EXPECT_EQ(t.end, 8'000'000);
  ASSERT_EQ(leg_count(t), 3U);
  const Leg middle = leg_at(s, 0, 1);
  EXPECT_EQ(middle.src, 4U);
  EXPECT_EQ(middle.dst, 5U);
  EXPECT_EQ(middle.id, 2);
  EXPECT_EQ(middle.start, 2'000'000);
  EXPECT_EQ(describe(s, middle), "transfer 2 (chunk 7, 4->5)");
}

// Two copies meet in switch 4: first in, first out, unless the file specifies another order.
TEST(TenWays, ArrivalsAndDeparturesArePairedInOrder) {
  const std::string arrivals = head("2;3", "0;1") + "1,0,4,7,0,2,copy,\n2,1,4,7,0,3,copy,\n";
  const Schedule s = read(arrivals + "3,4,2,7,3,5,copy,\n4,4,3,7,4,6,copy,\n");
  ASSERT_EQ(s.transfers.size(), 2U);
  EXPECT_EQ(s.transfers[0].dst, 2U);
  EXPECT_EQ(s.transfers[1].dst, 3U);
  EXPECT_EQ(csv(s).find("continues"), std::string::npos);

  const Schedule crossed = read(arrivals + "3,4,2,7,3,5,copy,2\n4,4,3,7,4,6,copy,1\n");
  EXPECT_EQ(crossed.transfers[0].dst, 3U);
  EXPECT_EQ(crossed.transfers[1].dst, 2U);
  for (const std::string form : {"csv", "json"}) {
    const std::string written = csv(crossed, form);
    EXPECT_NE(written.find("continues"), std::string::npos);
    EXPECT_EQ(csv(read(written)), csv(crossed)) << form;
  }
}

// A reduction and a copy of one chunk do not continue each other.
TEST(TenWays, ReductionsAndCopiesPassApart) {
  const Schedule s = read(head("2;3", "0;1;2;3") +
                          "1,0,4,7,0,2,reduce,\n2,1,4,7,0,3,copy,\n3,4,2,7,3,5,copy,\n4,4,3,7,4,6,reduce,\n");
  EXPECT_EQ(s.transfers[0].dst, 3U);
  EXPECT_EQ(s.transfers[0].op, Schedule::Op::reduce);
  EXPECT_EQ(s.transfers[1].dst, 2U);
}

TEST(TenWays, SwitchesMayBeCountedAmongTheNodes) {
  const std::string text =
      "#ten-schedule,2\n#collective,custom\n#npu_count,4\n#switch,1,2\n#chunk_size_bytes,1000\n#chunk,0,0,3\n"
      "#link,0,1,1,0\n#link,1,2,1,0\n#link,2,3,1,0\nid,src,dst,chunk,start_us,end_us\n"
      "0,0,1,0,0,1\n1,1,2,0,1,2\n2,2,3,0,2,3\n";
  const Schedule s = read(text);
  EXPECT_EQ(s.nodes, 2U);
  EXPECT_EQ(s.switches, 2U);
  ASSERT_EQ(s.transfers.size(), 1U);
  EXPECT_EQ(s.transfers[0].dst, 1U);
  EXPECT_EQ(leg_at(s, 0, 1).src, 2U);
  EXPECT_EQ(s.members, (std::vector<std::uint32_t>{0, 1}));
}

TEST(TenWays, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& rows, const std::string& what, const std::string& rule = "R8") {
    try {
      (void)read(rows);
      ADD_FAILURE() << what;
    } catch (const Error& e) {
      EXPECT_EQ(e.rule(), rule);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  refused(head() + "1,0,4,7,0,2,copy,\n",
          "transfer 1 (chunk 7, 0->4) is not forwarded by switch 4, which receives it once and sends it 0 times");
  refused(head() + "1,0,4,7,0,2,copy,\n2,4,3,7,2,4,copy,\n3,4,2,7,2,4,copy,\n",
          "transfer 3 (chunk 7, 4->2) is sent by switch 4, which receives it once and sends it 2 times");
  refused(head() + "1,0,4,7,0,2,copy,\n2,4,3,7,1,4,copy,\n", "leaves switch 4 before transfer 1");
  refused(head() + "1,0,4,7,0,2,copy,\n2,4,0,7,2,4,copy,\n", "returns to its source");
  refused(head() + "1,4,5,7,0,0,copy,2\n2,5,4,7,0,0,copy,1\n", "does not come from an NPU");
  refused(head() + "1,0,4,7,0,2,copy,\n2,4,3,7,2,4,copy,9\n", "continues 9, which is missing");
  refused(head() + "1,0,4,7,0,2,copy,\n2,5,3,7,2,4,copy,1\n", "cannot continue transfer 1");
  refused(head() + "1,0,4,7,0,2,copy,\n2,4,3,7,2,4,copy,1\n3,4,2,7,2,4,copy,1\n",
          "continues a transfer that is continued");
  const auto keyed = [](const std::string& key) {
    return "#ten-schedule,2\n#collective,all_gather\n#npu_count,2\n#link,0,1,1,0\n#link,1,0,1,0\n" + key +
           "\nid,src,dst,chunk,start_us,end_us\n";
  };
  refused(keyed("#switch,2,2"), "a switch is named twice", "R0");
  refused(keyed("#switch,3"), "switch 3 does not exist: switches are numbered 2 to 2, after the NPUs", "R0");
  refused(keyed("#switch,1,2"), "switch 2 does not exist: switches are numbered below 2", "R0");
  refused(keyed("#switch,x"), "nodes must be numbers", "R0");
  refused(keyed("#forwarding,cut"), "forwarding is cut", "R0");
  refused(
      "#ten-schedule,1\n#collective,all_gather\n#npu_count,2\n#switch,2\n#link,0,1,1,0\n"
      "id,src,dst,chunk,start_us,end_us\n",
      "switches require version 2", "R0");
  refused(head() + "1,0,9,7,0,2,copy,\n", "device 9 does not exist; there are 4 NPUs and 2 switches", "R0");
}

}  // namespace
}  // namespace convert::ten_ways_cases
