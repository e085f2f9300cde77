// SPDX-License-Identifier: MIT
// Logs in JSON: nccl-tests, NCCL Inspector, MSCCL++.
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

TEST(NcclJson, Sample) {
  const test::ReadLog log = read_sample("okay-nccl-tests.json");
  EXPECT_EQ(log.points, (Points{"reduce_scatter,4,2,1048576,20.5,19.5", "reduce_scatter,4,2,2097152,30.25,-"}));
  EXPECT_EQ(log.benchmark.gpu, "NVIDIA B200");
  EXPECT_EQ(log.benchmark.points[1].line, 95U);
}

TEST(NcclJson, Refusals) {
  const auto log = [](const std::string& size, const std::string& half, const std::string& more = "") {
    return R"({"version":1,"args":["x/all_reduce_perf"],"devices":[{"rank":0},{"rank":1}],"results":[
{"size":)" +
           size + R"(,"out_of_place":)" + half + "}]" + more + "}";
  };
  EXPECT_EQ(read_log(log("2048", R"({"time":5})")).points, Points{"all_reduce,2,?,2048,5,-"});
  EXPECT_EQ(log_refusal(log("2048", R"({"time":"nan"})")),
            "log:2: the time of 2048 bytes is not a positive time: \"\"nan\"\"");
  EXPECT_EQ(log_refusal(log("-5", R"({"time":5})")),
            "log:2: size is not a whole number of bytes from 1 to 2^63-1: \"-5\"");
  EXPECT_EQ(log_refusal(log("2048", "null")), "log:2: the result of 2048 bytes has no time");
  EXPECT_EQ(log_refusal(log("2048", R"({"time":5,"nwrong":3.0})")),
            "log:2: the run found wrong values of 2048 bytes: 3.0; measure again");
  EXPECT_EQ(log_refusal(log("2048", R"({"time":5})", R"(,"out_of_bounds":{"count":3,"okay":false})")),
            "log:1: the run found wrong values; measure again");
  EXPECT_EQ(read_log(R"({"version":2,"args":["all_reduce_perf"],"results":[{"size":2048,"in_place":{"time":5}}]})",
                     {.ranks = 4})
                .warnings,
            std::vector<std::string>{"log:1: the version of the log is not 1: \"2\"; read as version 1"});
  EXPECT_EQ(
      log_refusal(R"({"results":[]})"),
      "log:1: the collective is not stated; give collective=NAME, or name a program such as all_reduce_perf in "
      "args");
  EXPECT_EQ(log_refusal(R"({"args":["all_reduce_perf"],"results":[]})"),
            "log:1: the number of ranks is not stated, and no device is listed; give ranks=N");
  EXPECT_EQ(log_refusal(R"({"args":["all_reduce_perf"],"results":[{"size":)"),
            "log:1:48: truncated JSON: the text ends too early");
}

TEST(Inspector, Sample) {
  // The least times of three calls are 70, 60 and 64 us.
  const test::ReadLog log = read_sample("okay-inspector.jsonl");
  EXPECT_EQ(log.points, (Points{"all_reduce,4,2,1048576,64,-", "all_gather,4,2,262144,55.5,-"}));
  EXPECT_EQ(log.warnings, std::vector<std::string>{
                              "log:16: the last record is omitted: truncated JSON: the text ends too early"});
  EXPECT_EQ(read_sample("okay-inspector.jsonl", {.gpus_of_node = 72}).points[0], "all_reduce,4,1,1048576,64,-");
}

TEST(Inspector, Refusals) {
  const auto log = [](const std::string& ranks, const std::string& call) {
    return R"({"header":{"id":"0x1","rank":0,"n_ranks":)" + ranks + R"(,"nnodes":2},
"coll_perf":{"coll":)" +
           call + "}}\n";
  };
  const std::string good = R"("AllReduce","coll_sn":1,"coll_msg_size_bytes":2048,"coll_exec_time_us":5)";
  EXPECT_EQ(read_log(log("16", good)).points, Points{"all_reduce,16,2,2048,5,-"});
  EXPECT_EQ(log_refusal(log("2000000", good)),
            "log:1: n_ranks is not a whole number from 1 to 1048576: \"2000000\"");
  EXPECT_EQ(log_refusal(log("16", R"("AllGather","coll_sn":1,"coll_msg_size_bytes":9223372036854775807,)"
                                  R"("coll_exec_time_us":5)")),
            "log:1: the size of all ranks is more than 2^63-1 bytes: 9223372036854775807 bytes x 16 ranks");
  EXPECT_EQ(log_refusal(log("16", R"("AllReduce","coll_msg_size_bytes":2048,"coll_exec_time_us":0)")),
            "log:1: coll_exec_time_us is not a positive time: \"0\"");
  EXPECT_EQ(log_refusal(R"({"coll_perf":{"coll":"AllReduce"}})"),
            "log:1: the header is missing; it states the number of ranks");
  EXPECT_EQ(log_refusal(R"({"coll_perf":[]})").substr(0, 9), "log:1:14:");
  EXPECT_EQ(read_log(log("16", good) + log("16", R"("Nothing")")).warnings,
            std::vector<std::string>{"log:3: not a collective of a machine: \"Nothing\"; its calls are omitted"});
}

TEST(Mscclpp, OnlyAsPrograms) {
  const std::string refused = "these are kernels of MSCCL++, not calls of the library";
  EXPECT_EQ(test::sample_refusal("okay-mscclpp.jsonl").substr(0, 61), "log:1: " + refused);
  EXPECT_EQ(log_refusal("# Initializing MSCCL++\n").substr(0, 61), "log:1: " + refused);
  const test::ReadLog log = read_sample("okay-mscclpp.jsonl", {.allow_programs = true});
  EXPECT_EQ(log.points, (Points{"all_reduce,16,2,24576,6.25,-", "all_to_all,8,1,1048576,20,-"}));
  EXPECT_EQ(log.benchmark.points[0].set, "mscclpp kernel 6");
  EXPECT_EQ(
      log_refusal(R"({"name":"allreduce","ranks":8,"ranksPerNode":0,"size":1,"time":1})", {.allow_programs = true}),
      "log:1: ranksPerNode is not a whole number from 1 to 1048576: \"0\"");
}

}  // namespace
}  // namespace convert
