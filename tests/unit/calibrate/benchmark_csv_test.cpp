// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmarks.h"

namespace convert {
namespace {

using Points = std::vector<std::string>;
using test::log_refusal;

TEST(BenchmarkCsv, Sample) {
  const test::ReadLog log = test::read_sample("okay-calls.csv");
  EXPECT_EQ(log.points,
            (Points{"all_reduce,8,1,1024,10,9.5", "all_gather,8,?,2048,12.5,-", "send,16,2,4096,50,30"}));
  EXPECT_EQ(log.benchmark.points[0].set, "A");
  EXPECT_EQ(log.benchmark.points[0].machine, "m1");
  EXPECT_EQ(log.warnings,
            std::vector<std::string>{"log:5: not a collective of a machine: \"moe_dispatch\"; 1 row omitted"});
}

TEST(BenchmarkCsv, Refusals) {
  const std::string header = "us,bytes,ranks,collective,nodes,us2\n";
  EXPECT_EQ(test::read_log("\xEF\xBB\xBF" + header + "5,2048,8,a2a\r\n", {.nodes = 2}).points,
            Points{"all_to_all,8,2,2048,5,-"});
  EXPECT_EQ(
      log_refusal("collective,ranks,us\n"),
      "log:1: column bytes is missing; required are collective, ranks, bytes and us, optional are nodes, set, "
      "machine and us2");
  EXPECT_EQ(log_refusal(header + "\n5,2048,8\n"), "log:3: column collective is missing in this row");
  EXPECT_EQ(log_refusal(header + "-5,2048,8,reduce\n"), "log:2: us is not a positive time: \"-5\"");
  EXPECT_EQ(log_refusal(header + "5,0,8,reduce\n"),
            "log:2: bytes is not a whole number of bytes from 1 to 2^63-1: \"0\"");
  EXPECT_EQ(log_refusal(header + "5,1,1048577,reduce\n"),
            "log:2: ranks is not a whole number from 1 to 1048576: \"1048577\"");
  EXPECT_EQ(log_refusal(header + "5,1,8,reduce,9\n"),
            "log:2: nodes is more than ranks: 9; count the nodes that have a rank");
  EXPECT_EQ(log_refusal(header + "5,1,8,reduce,1,x\n"), "log:2: us2 is not a positive time: \"x\"");
  EXPECT_EQ(log_refusal(header), "log: no measurement; a row of a table states size and time");
}

}  // namespace
}  // namespace convert
