// SPDX-License-Identifier: MIT
#include "simulate/report.h"

#include <gtest/gtest.h>

#include "traces.h"

namespace convert {
namespace {

using namespace test;

std::vector<Trace> example() {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  send(t[0], 1, 1, 2048, 0, {0});
  recv(t[1], 0, 0, 2048);
  return t;
}

TEST(Report, Json) {
  std::string out;
  append_json(run(example(), "ring:2,bw=1GB/s,lat=10ns", NetworkModel::aware, IssueMode::workload), out);
  EXPECT_EQ(out, R"({
 "model":"aware","issue":"workload","status":"complete",
 "total_ns":3058,
 "npus":[
  {"npu":0,"finish_ns":3058,"exposed_communication_ns":2058,"compute_ns":1000,"sends":1,"bytes_sent":2048},
  {"npu":1,"finish_ns":3058,"exposed_communication_ns":3058,"compute_ns":0,"sends":0,"bytes_sent":0}
 ]
}
)");
}

TEST(Report, JsonOfADeadlock) {
  auto t = ranks(2);
  recv(t[1], 0, 0, 100, 3);
  std::string out;
  append_json(run(t, "ring:2,bw=1GB/s,lat=10ns"), out);
  EXPECT_NE(out.find(R"("status":"deadlock")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"({"npu":1,"finish_ns":null,"exposed_communication_ns":null,)"), std::string::npos) << out;
  EXPECT_NE(out.find(R"({"npu":1,"node":0,"receive":{"from":0,"tag":3,"bytes":100}})"), std::string::npos) << out;
  EXPECT_NE(out.find(R"("cycle":[])"), std::string::npos) << out;
}

TEST(Report, Csv) {
  std::string out;
  append_csv(run(example(), "ring:2,bw=1GB/s,lat=10ns"), out);
  EXPECT_EQ(out,
            "npu,finish_ns,exposed_communication_ns,compute_ns,sends,bytes_sent,model,issue\n"
            "0,3058,3058,1000,1,2048,unaware,algorithm\n"
            "1,3058,3058,0,0,0,unaware,algorithm\n");
}

TEST(Report, Text) {
  std::string out;
  append_text(run(example(), "ring:2,bw=1GB/s,lat=10ns"), out);
  EXPECT_EQ(out,
            "total 3.058 us (3058 ns), 2 NPUs, network unaware, issue algorithm\n"
            "npu    finish  exposed communication  compute  sends   sent\n"
            "  0  3.058 us               3.058 us     1 us      1  2 KiB\n"
            "  1  3.058 us               3.058 us     0 ps      0    0 B\n");
}

TEST(Report, NanosecondsAreExact) {
  EXPECT_EQ(format_ns(0), "0");
  EXPECT_EQ(format_ns(1500), "1.5");
  EXPECT_EQ(format_ns(-1), "-0.001");
  EXPECT_EQ(format_ns(-1500), "-1.5");
  EXPECT_EQ(format_ns(1'000'000), "1000");
}

}  // namespace
}  // namespace convert
