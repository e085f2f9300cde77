// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmarks.h"

namespace convert {
namespace {

using Points = std::vector<std::string>;
using test::log_refusal;
using test::read_log;
using test::read_sample;
using test::sample_refusal;

TEST(XlaTable, Sample) {
  // The first size of each group, a rate of one digit, a time of bfloat16 and a permute are omitted.
  const test::ReadLog log = read_sample("okay-xla-table.txtpb", {.xla_key = "sm_90"});
  EXPECT_EQ(log.points, (Points{"all_reduce,8,1,1048576,40,-", "reduce_scatter,4,1,1048576,20,-"}));
  EXPECT_TRUE(log.benchmark.has_harness);
  EXPECT_EQ(log.benchmark.points[0].machine, "sm_90");
  EXPECT_EQ(log.benchmark.points[0].line, 29U);
  EXPECT_EQ(read_sample("okay-xla-table.txtpb", {.xla_key = "gfx942"}).points,
            Points{"all_to_all,16,?,8192,4.096,-"});
}

TEST(XlaTable, Keys) {
  EXPECT_EQ(sample_refusal("okay-xla-table.txtpb"),
            "log: the table has 2 machines; give key=sm_90, or another of sm_90, gfx942");
  EXPECT_EQ(sample_refusal("okay-xla-table.txtpb", {.xla_key = "sm_80"}),
            "log: the table has no machine \"sm_80\"; did you mean sm_90?");
}

std::string table(const std::string& fields) {
  const auto entry = [&](const std::string& more) {
    return "entries { instruction: < opcode: 'all-' 'x' opcode: \"all-reduce\", shape { element_type: F32 "
           "dimensions: "
           "[512, 2] } iota_collective_device_list { num_devices_per_group: 8 } " +
           more + "}\n";
  };
  return "entries {\nkey: \"k\" value {\n" + entry("> network_throughput_bytes_per_sec: 1000000001 ") +
         entry(fields) + "} }\n";
}

TEST(XlaTable, Syntax) {
  const std::string good =
      "shape { element_type: F32 dimensions: 1024; } > # comment\n"
      "other { a: [ 1, 2 ] b < c: '}' > } network_throughput_bytes_per_sec: 4096000000 ";
  EXPECT_EQ(log_refusal(table(good)), "log: no measurement; a row of a table states size and time");
  const std::string other =
      "iota_collective_device_list { num_devices_per_group: 4 } >"
      "network_throughput_bytes_per_sec: ";
  EXPECT_EQ(log_refusal(table(other + "-1 ")),
            "log:4: network_throughput_bytes_per_sec is not a positive rate: \"-1\"");
  EXPECT_EQ(log_refusal(table(other + "1e-300 ")),
            "log:4: size / network_throughput_bytes_per_sec is not a time from 1 ps to 31 years: \"1e-300\"");
  EXPECT_EQ(log_refusal(table("shape \n'a' > ")),
            "log:5: malformed text protobuf: a message is expected, not \"'a' > }\"");
  EXPECT_EQ(log_refusal("entries { key: 'k\n network_throughput_bytes_per_sec"),
            "log:1: malformed text protobuf: a string that ends in its line is expected, not \"'k\"");
  EXPECT_EQ(log_refusal("entries { network_throughput_bytes_per_sec: {"),
            "log:1: malformed text protobuf: a name or a value is expected, but the text ends");
  EXPECT_EQ(log_refusal("network_throughput_bytes_per_sec: 1 }").substr(0, 62),
            "log:1: malformed text protobuf: a name or a value is expected,");
  EXPECT_EQ(log_refusal("network_throughput_bytes_per_sec: 1"), "log: the table has no machine");
  // Nesting costs no stack.
  std::string deep = "x ";
  for (int i = 0; i < 1'000'000; ++i) deep += "{ y ";
  EXPECT_EQ(log_refusal(deep + "network_throughput_bytes_per_sec").substr(0, 31),
            "log:1: malformed text protobuf:");
}

}  // namespace
}  // namespace convert
