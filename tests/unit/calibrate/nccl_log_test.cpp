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

const std::string command = "./build/all_reduce_perf -b 8\n";
const std::string header = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";

std::string devices(int ranks, const std::string& host = "a") {
  std::string text = "# Using devices\n";
  for (int r = 0; r < ranks; ++r) {
    text += "#  Rank " + std::to_string(r) + " Group 0 Pid 7 on " + host + " device 0 [0x00] H100\n";
  }
  return text;
}
std::string row(const std::string& bytes, const std::string& rest = "10.0 1.00 1.50 0 9.0 1.1 1.6 N/A") {
  return " " + bytes + " 256 float sum -1 " + rest + "\n";
}

TEST(NcclLog, Milliseconds) {
  const test::ReadLog log = read_sample("okay-2018-milliseconds.txt");
  EXPECT_EQ(log.points, (Points{"all_reduce,2,2,1048576,2000,2500", "all_reduce,2,2,2097152,4000,4100"}));
  EXPECT_EQ(log.benchmark.gpu, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(log.benchmark.points.front().line, 11U);
}

TEST(NcclLog, RowsWithoutAnOperation) {
  // The first row's time in place has wrong values.
  EXPECT_EQ(
      read_sample("okay-2021-all-to-all.txt").points,
      (Points{"all_to_all,4,1,1048576,50,-", "all_to_all,4,1,2097152,75,76", "all_to_all,4,1,4194304,120,121"}));
}

TEST(NcclLog, TagsOfContainers) {
  const test::ReadLog log = read_sample("okay-2024-tags.txt");
  EXPECT_EQ(log.points, (Points{"all_reduce,4,2,1024,20,19", "all_reduce,4,2,4194304,150,120",
                                "all_reduce,4,2,17179869184,171799,171800"}));
  EXPECT_TRUE(log.warnings.empty());
  EXPECT_EQ(log.benchmark.gpu, "NVIDIA H100 80GB HBM3");
}

TEST(NcclLog, AnyTag) {
  const std::string plain = command + devices(2) + header + row("2048");
  for (const std::string tag : {"[1,0]<stdout>:", "[0] ", "0: ", " 3: ", "[prterun-a-7@1,0]<stdout>: ",
                                "(head, rank=0, pid=3808) [1,0]<stdout>:", "Fri May  3 12:00:00 2024<stdout>:",
                                "2024-05-03 12:00:00 8 ", "nccl-1  | ", "\x1b[36m", ">     "}) {
    std::string text;
    for (const std::string& line : split(plain, '\n')) text.append(tag).append(line).append("\n");
    EXPECT_EQ(read_log(text).points, Points{"all_reduce,2,1,2048,10,9"}) << tag;
  }
}

TEST(NcclLog, TagsWithinLines) {
  const std::string tag = "[1,0]<stdout>:";
  EXPECT_EQ(read_log(command + tag + devices(2) + tag + header + tag + "8589934592" + tag + " 256 float sum -1" +
                     tag + "  10.0 1.00 1.50 0" + tag + "\x1b[1m 9.0\x1b[0m 1.1 1.6 N/A\x1b[")
                .points,
            Points{"all_reduce,2,1,8589934592,10,9"});
}

TEST(NcclLog, SeveralRuns) {
  const test::ReadLog log = read_sample("okay-2026-runs.txt");
  EXPECT_EQ(log.points, (Points{"broadcast,4,1,1048576,18.5,18.4", "broadcast,4,1,4194304,40,39.9",
                                "send,2,1,1048576,12.5,-"}));
  EXPECT_EQ(log.benchmark.points[0].run, 0U);
  EXPECT_EQ(log.benchmark.points[2].run, 1U);
  EXPECT_EQ(
      log.warnings,
      (std::vector<std::string>{
          "log:31: \"hypercube_perf\" measures no collective; 1 row omitted",
          "log:50: 1 row lacks columns and count for nothing; the log is cut or other messages are within its "
          "rows",
          "log:41: the run has groups of ranks that call at the same time; read as calls of 2 ranks"}));
}

TEST(NcclLog, NameOfTheCollective) {
  EXPECT_EQ(read_log("# Collective test starting: alltoall_perf_mpi\n" + devices(2) + header + row("2048")).points,
            Points{"all_to_all,2,1,2048,10,9"});
  // A command after the first table belongs to the second table, a name after the end does not.
  const std::string two =
      command + devices(2) + header + row("1024") + "# Collective test concluded: all_reduce_perf\n";
  EXPECT_EQ(read_log(two + "$ /opt/gather_perf\n" + devices(2) + header + row("2048")).points,
            (Points{"all_reduce,2,1,1024,10,9", "gather,2,1,2048,10,9"}));
  EXPECT_EQ(log_refusal(two + devices(2) + header + row("2048")),
            "log:11: the collective is not stated; give collective=NAME, or add the line \"# Collective test "
            "starting: NAME_perf\" before the table");
  EXPECT_EQ(read_log(devices(2) + header + row("2048"), {.collective = Collective::reduce}).points,
            Points{"reduce,2,1,2048,10,9"});
  EXPECT_EQ(test::sample_refusal("bad-no-collective.txt").substr(0, 37), "log:10: the collective is not stated;");
}

TEST(NcclLog, Ranks) {
  // 2 (n - 1) / n = 1.75: 8 ranks.
  const std::string rows = row("1048576", "10.0 100.00 175.00 0 9.0 1.1 1.6 N/A");
  EXPECT_EQ(read_log(command + header + rows).points, Points{"all_reduce,8,?,1048576,10,9"});
  EXPECT_EQ(read_log("all_gather_perf\n" + header + row("1048576", "10.0 100.00 87.50 0 9.0 1 1 0")).points,
            Points{"all_gather,8,?,1048576,10,9"});
  EXPECT_EQ(read_log(command + header + rows, {.ranks = 16, .nodes = 2}).points,
            Points{"all_reduce,16,2,1048576,10,9"});
  const std::string unknown = "log:2: the number of ranks is not stated, and no device is listed; give ranks=N";
  EXPECT_EQ(log_refusal("broadcast_perf\n" + header + rows), unknown);
  EXPECT_EQ(log_refusal(command + header + row("1048576", "10.0 0.00 0.00 0 9.0 1 1 0")), unknown);
  EXPECT_EQ(log_refusal(command + header + row("1048576", "10.0 100.0 130.0 0 9.0 1 1 0")), unknown);
  EXPECT_EQ(read_log(command + header + row("1048576", "10.0 75.55 150.98 0 9.0 1 1 0")).warnings,
            std::vector<std::string>{"log:2: no device is listed; busbw / algbw fits 1120 to 1438 ranks, read "
                                     "as 1259; ranks=N overrides it"});
}

TEST(NcclLog, Devices) {
  const auto of = [](const std::string& list, std::uint32_t gpus) {
    return read_log(command + list + header + row("2048"), {.gpus_of_node = gpus});
  };
  std::string racks = "# Using devices\n";
  for (int r = 0; r < 80; ++r)
    racks += "# Rank " + std::to_string(r) + " Pid 7 on h" + std::to_string(r / 4) + " device 0 [0] GB200\n";
  EXPECT_EQ(of(racks, 8).points, Points{"all_reduce,80,20,2048,10,9"});
  EXPECT_EQ(of(racks, 72).points, Points{"all_reduce,80,2,2048,10,9"});
  const test::ReadLog last = of("# Rank 71 Group 0 Pid 7 on h device 3 [0x01] GB200\n", 8);
  EXPECT_EQ(last.points, Points{"all_reduce,72,?,2048,10,9"});
  EXPECT_EQ(last.warnings,
            std::vector<std::string>{"log:2: the list of devices is incomplete: 1 line, and the last "
                                     "rank is 71; read as 72 ranks"});
  EXPECT_EQ(of("# nThread 1 nGpus 8\n" + devices(8) + "# nThread 1 nGpus 2\n" + devices(2), 8).points,
            Points{"all_reduce,2,1,2048,10,9"});
  EXPECT_EQ(of(devices(1), 8).warnings.size(), 1U);
  EXPECT_EQ(test::sample_refusal("bad-separate-processes.txt"),
            "log:6: rank 0 is listed twice, by separate processes; build nccl-tests with MPI=1 and start one job");
  EXPECT_EQ(log_refusal(command + "# Rank 1048576 on h device 0 [0] G\n"),
            "log:2: the rank is not a whole number from 0 to 1048575: \"1048576\"");
}

TEST(NcclLog, WrongValues) {
  EXPECT_EQ(test::sample_refusal("bad-wrong-values.txt"),
            "log:16: the run found wrong values: 3 FAILED; measure again");
  EXPECT_EQ(log_refusal(command + devices(2) + header + row("2048", "10.0 1.0 1.0 0 9.0 1.1 1.6 2")),
            "log:6: the run found wrong values: 2; measure again");
}

TEST(NcclLog, BadRows) {
  const std::string begin = command + devices(2) + header;
  const auto time = [&](const std::string& word) {
    return log_refusal(begin + row("2048", word + " 1.0 1.0 0 9.0 1.1 1.6 0"));
  };
  for (const std::string word : {"-1", "0.00", "nan", "-nan", "inf", "1e999"})
    EXPECT_EQ(time(word), "log:6: the time is not a positive time: \"" + word + "\"");
  EXPECT_EQ(time("1e308"), "log:6: the time is not a time from 1 ps to 31 years: \"1e308\"");
  EXPECT_EQ(time("1e-300"), "log:6: the time is not a time from 1 ps to 31 years: \"1e-300\"");
  EXPECT_EQ(log_refusal(begin + row("9223372036854775808")),
            "log:6: the size is not a whole number of bytes from 1 to 2^63-1: \"9223372036854775808\"");
  EXPECT_EQ(read_log(begin + row("9223372036854775807")).points, Points{"all_reduce,2,1,9223372036854775807,10,9"});
  EXPECT_EQ(read_log(begin + row("2048", "N/A N/A N/A N/A 9.0 1.1 1.6 0")).points,
            Points{"all_reduce,2,1,2048,9,-"});
  EXPECT_EQ(log_refusal(begin), "log: no measurement; a row of a table states size and time");
  EXPECT_EQ(log_refusal(begin + row("0")), "log: no measurement; a row of a table states size and time");
  EXPECT_EQ(
      log_refusal(row("2048")),
      "log:1: the line with the names of the columns is missing before this row; copy the line \"# size count "
      "type redop root time algbw busbw #wrong ...\" too");
  // Other messages within a row.
  EXPECT_EQ(read_log(begin + row("1024") + row("2048", "h:7:8 [0] NCCL INFO x y z w v")).points,
            Points{"all_reduce,2,1,1024,10,9"});
}

TEST(NcclLog, TimesByChoice) {
  const std::string text = command + devices(2) + header + row("2048");
  EXPECT_EQ(read_log(text, {.times = TimeChoice::out}).points, Points{"all_reduce,2,1,2048,10,-"});
  EXPECT_EQ(read_log(text, {.times = TimeChoice::in}).points, Points{"all_reduce,2,1,2048,9,-"});
}

}  // namespace
}  // namespace convert
