// SPDX-License-Identifier: MIT
#include "simulate/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "simulate/report/values.h"
#include "unit/simulate/traces.h"

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

// A run with all options of a report beyond the defaults of replay().
ReplayResult full_run(const std::vector<Trace>& traces, const std::string& network, NetworkModel model,
                      bool astra = false) {
  ReplayOptions options;
  options.network.model = model;
  options.network.count_wires = model != NetworkModel::unaware;
  options.issue = IssueMode::workload;
  options.astra = astra;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, net(network), options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  return std::move(*result);
}

// 2 MB on every NPU of four around a switch.
std::vector<Trace> all_to_all_of_four() {
  auto t = ranks(4);
  for (Trace& trace : t) coll(trace, 0, Collective::all_to_all, 2'000'000);
  comp(t[3], 1, 5, {0});
  return t;
}

TEST(Report, MeansHaveFractions) {
  auto t = ranks(12);
  send(t[0], 1, 1, 7);
  recv(t[1], 0, 0, 7);
  const ReplayResult result = run(t, "ring:12,bw=1GB/s,lat=10ns", NetworkModel::unaware, IssueMode::workload);
  std::string json;
  append_json(result, json);
  EXPECT_NE(json.find(R"("sends":0.083333,"bytes_sent":0.583333,)"), std::string::npos) << json;
  std::string table;
  append_text(result, table);
  EXPECT_TRUE(std::regex_search(table, std::regex("mean .* 0.083 +0.583 B\n"))) << table;
  EXPECT_EQ(format_mean({.mean = 3, .mean_fraction = 0.5}, 3), "2.5");
  EXPECT_EQ(format_mean({.mean = 3, .mean_fraction = 0.99999}, 3), "3");
  EXPECT_EQ(format_mean({.mean = 10}, 3), "10");
}

TEST(Report, WiresAreAListAlsoWithoutMessages) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  std::string out;
  append_json(full_run(t, "ring:2,bw=1GB/s", NetworkModel::wires), out, {.part = ReportPart::wires});
  EXPECT_NE(out.find("\n \"links\":[\n ]\n}"), std::string::npos) << out;
  EXPECT_EQ(out.find("bottleneck"), std::string::npos) << out;
}

TEST(Report, Json) {
  std::string out;
  append_json(run(example(), "ring:2,bw=1GB/s,lat=10ns", NetworkModel::aware, IssueMode::workload), out);
  EXPECT_EQ(
      out,
      R"({
 "model":"aware","issue":"workload","status":"complete",
 "total_ns":3058,
 "symmetry":{"simulated":2,"prevented_by":"ranks 1 apart are not equivalent: rank 0 and rank 1 have different nodes: )"
      R"(node 0 computes, node 0 receives","error_bound_ns":0},
 "npus":[
  {"npu":0,"finish_ns":3058,"exposed_communication_ns":2058,"compute_ns":1000,"sends":1,"bytes_sent":2048,)"
      R"("communication_ns":2058,"overlap_ns":0,"waiting_ns":0,"idle_ns":0,"memory_ns":0,"cpu_ns":0,"peak_memory_bytes":null,"peak_memory_at_ns":null},
  {"npu":1,"finish_ns":3058,"exposed_communication_ns":3058,"compute_ns":0,"sends":0,"bytes_sent":0,)"
      R"("communication_ns":3058,"overlap_ns":0,"waiting_ns":0,"idle_ns":0,"memory_ns":0,"cpu_ns":0,"peak_memory_bytes":null,"peak_memory_at_ns":null}
 ],
 "summary":{
  "min":{"finish_ns":3058,"exposed_communication_ns":2058,"compute_ns":0,"communication_ns":2058,"overlap_ns":0,)"
      R"("waiting_ns":0,"idle_ns":0,"memory_ns":0,"cpu_ns":0,"sends":0,"bytes_sent":0,"peak_memory_bytes":null},
  "mean":{"finish_ns":3058,"exposed_communication_ns":2558,"compute_ns":500,"communication_ns":2558,"overlap_ns":0,)"
      R"("waiting_ns":0,"idle_ns":0,"memory_ns":0,"cpu_ns":0,"sends":0.5,"bytes_sent":1024,"peak_memory_bytes":null},
  "max":{"finish_ns":3058,"exposed_communication_ns":3058,"compute_ns":1000,"communication_ns":3058,"overlap_ns":0,)"
      R"("waiting_ns":0,"idle_ns":0,"memory_ns":0,"cpu_ns":0,"sends":1,"bytes_sent":2048,"peak_memory_bytes":null}
 },
 "collectives":[
 ]
}
)");
}

// The schema that the manual documents: all keys, in order, # for a number.
TEST(Report, JsonSchema) {
  std::string out;
  append_json(full_run(all_to_all_of_four(), "switch:4,bw=1GB/s,lat=1us", NetworkModel::wires), out,
              {.part = ReportPart::wires});
  out = std::regex_replace(out, std::regex(":-?[0-9]+(\\.[0-9]+)?"), ":#");
  const std::string times =
      R"("finish_ns":#,"exposed_communication_ns":#,"compute_ns":#,"communication_ns":#,"overlap_ns":#,)"
      R"("waiting_ns":#,"idle_ns":#,"memory_ns":#,"cpu_ns":#,"sends":#,"bytes_sent":#,)"
      R"("peak_memory_bytes":null})";
  std::string expected = R"({
 "model":"links","forwarding":"switches","issue":"workload","status":"complete",
 "total_ns":#,
 "symmetry":{"simulated":#,"prevented_by":"each rank is recorded","error_bound_ns":#},
 "npus":[)";
  for (int npu = 0; npu < 4; ++npu) {
    expected += (npu == 0 ? "" : ",") +
                std::string(
                    "\n  {\"npu\":#,\"finish_ns\":#,\"exposed_communication_ns\":#,\"compute_ns\":#,\"sends\":#,"
                    "\"bytes_sent\":#,\"communication_ns\":#,\"overlap_ns\":#,\"waiting_ns\":#,\"idle_ns\":#,"
                    "\"memory_ns\":#,"
                    "\"cpu_ns\":#,\"peak_memory_bytes\":null,\"peak_memory_at_ns\":null}");
  }
  expected += "\n ],\n \"summary\":{\n  \"min\":{" + times + ",\n  \"mean\":{" + times + ",\n  \"max\":{" + times;
  expected += R"(
 },
 "collectives":[
  {"group":#,"number":#,"op":"all_to_all","size_bytes":#,"npus":#,"algorithm":"astra:direct","chunks":#,"begin_ns":#,)"
              R"("last_begin_ns":#,"end_ns":#,"time_ns":#,"algbw_gb_per_s":#,"busbw_gb_per_s":#,"bound_ns":#,)"
              R"("bound_share":#,"first_npu":#,"first_node":#,"exposed_mean_ns":#,"exposed_max_ns":#}
 ],
 "bottleneck_link":)";
  const auto wire = [](const std::string& from, const std::string& to) {
    return "{\"from\":\"" + from + "\",\"to\":\"" + to +
           "\",\"bytes\":#,\"messages\":#,\"busy_ns\":#,\"utilisation\":#,\"peak_queue\":#}";
  };
  expected += wire("npu0", "switch0") + ",\n \"links\":[";
  for (int npu = 0; npu < 4; ++npu) {
    const std::string name = "npu" + std::to_string(npu);
    expected += (npu == 0 ? "\n  " : ",\n  ") + wire(name, "switch0") + ",\n  " + wire("switch0", name);
  }
  EXPECT_EQ(out, expected + "\n ]\n}\n");
}

TEST(Report, WhatIsNotThereIsNull) {
  std::string out;
  append_json(full_run(all_to_all_of_four(), "ideal", NetworkModel::unaware), out);
  EXPECT_NE(
      out.find(R"("time_ns":0,"algbw_gb_per_s":null,"busbw_gb_per_s":null,"bound_ns":null,"bound_share":null)"),
      std::string::npos)
      << out;
  EXPECT_EQ(out.find("link"), std::string::npos);
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
            "npu,finish_ns,exposed_communication_ns,compute_ns,sends,bytes_sent,model,issue,communication_ns,"
            "overlap_ns,waiting_ns,idle_ns,memory_ns,cpu_ns,peak_memory_bytes,peak_memory_at_ns\n"
            "0,3058,2058,1000,1,2048,unaware,algorithm,2058,0,0,0,0,0,,\n"
            "1,3058,2058,0,0,0,unaware,algorithm,2058,0,1000,0,0,0,,\n");
}

// Compute of 30 µs in parallel to a receive that ends after 11 µs; then 21 µs until the second message is sent and
// 11 µs until it arrives, and a CPU operation of 4 µs.
TEST(Report, OverlapAndIdle) {
  auto t = ranks(2);
  comp(t[0], 0, 30);
  recv(t[0], 1, 1, 1000);
  recv(t[0], 2, 1, 1000, 1, {0});
  comp(t[0], 3, 4, {2}, true);
  send(t[1], 0, 0, 1000);
  comp(t[1], 1, 40, {0});
  send(t[1], 2, 0, 1000, 1, {1});
  std::string out;
  append_csv(full_run(t, "ring:2,bw=1GB/s,lat=10us", NetworkModel::unaware), out);
  EXPECT_NE(out.find("\n0,66000,11000,30000,0,0,unaware,workload,22000,11000,21000,0,0,4000,,\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("\n1,62000,22000,40000,2,2000,unaware,workload,22000,0,0,0,0,0,,\n"), std::string::npos)
      << out;
}

// An all-to-all at the bound: each NPU sends 1.5 MB over its link of 1 GB/s, 2 µs away.
TEST(Report, CollectivesCsv) {
  std::string out;
  append_csv(full_run(all_to_all_of_four(), "switch:4,bw=1GB/s,lat=1us", NetworkModel::unaware), out,
             {.part = ReportPart::collectives});
  EXPECT_EQ(
      out,
      "collective,group,number,op,size_bytes,npus,algorithm,chunks,begin_ns,last_begin_ns,end_ns,time_ns,"
      "algbw_gb_per_s,busbw_gb_per_s,bound_ns,bound_share,first_npu,first_node,exposed_mean_ns,exposed_max_ns\n"
      "0,0,0,all_to_all,2000000,4,astra:direct,4,0,0,127000,127000,15.748031,11.811024,1502000,,0,0,127000,"
      "127000\n");
  const ReplayResult wires = full_run(all_to_all_of_four(), "switch:4,bw=1GB/s,lat=1us", NetworkModel::wires);
  ASSERT_EQ(wires.collectives.size(), 1U);
  EXPECT_GE(*wires.collectives[0].end_ps, 1'502'000'000);
}

TEST(Report, WiresCsv) {
  std::string out;
  append_csv(run(example(), "ring:2,bw=1GB/s,lat=10ns"), out, {.part = ReportPart::wires});
  EXPECT_EQ(out, "from,to,bytes,messages,busy_ns,utilisation,peak_queue\n");
  out.clear();
  append_csv(full_run(example(), "ring:2,bw=1GB/s,lat=10ns", NetworkModel::aware), out,
             {.part = ReportPart::wires});
  EXPECT_EQ(out,
            "from,to,bytes,messages,busy_ns,utilisation,peak_queue\n"
            "npu0,npu1,2048,1,2048,0.669719,0\n");
}

TEST(Report, Text) {
  std::string out;
  append_text(run(example(), "ring:2,bw=1GB/s,lat=10ns"), out);
  EXPECT_EQ(out,
            "total 3.058 µs, 2 NPUs, --model unaware --issue algorithm\n"
            " npu    finish  compute  communication   exposed  overlap  waiting  idle  sends   sent\n"
            "   0  3.058 µs     1 µs       2.058 µs  2.058 µs     0 ps     0 ps  0 ps      1  2 KiB\n"
            "   1  3.058 µs     0 ps       2.058 µs  2.058 µs     0 ps     1 µs  0 ps      0    0 B\n"
            "mean  3.058 µs   500 ns       2.058 µs  2.058 µs     0 ps   500 ns  0 ps    0.5  1 KiB\n");
}

TEST(Report, TextOfCollectives) {
  std::string out;
  append_text(full_run(all_to_all_of_four(), "switch:4,bw=1GB/s,lat=1us", NetworkModel::unaware), out);
  EXPECT_EQ(out.substr(out.find("\n\n") + 2),
            "collective       size  npus  algorithm     count  mean time       algbw       busbw  bound share\n"
            "all_to_all  1.907 MiB     4  astra:direct      1     127 µs  15.75 GB/s  11.81 GB/s       beyond\n"
            "beyond: faster than the bound: messages of model unaware share no links, delays may be truncated to "
            "whole ns, and a custom algorithm may move fewer bytes\n");
}

TEST(Report, TextOfManyNpus) {
  auto t = ranks(40);
  for (Trace& trace : t) comp(trace, 0, trace.rank);
  const ReplayResult result = full_run(t, "ring:40,bw=1GB/s,lat=1us", NetworkModel::unaware);
  std::string out;
  append_text(result, out);
  EXPECT_EQ(out.substr(out.find('\n') + 1),
            " npu   finish  compute  communication  exposed  overlap  idle  sends  sent\n"
            " min     1 ns     1 ns           0 ps     0 ps     0 ps  0 ps      0   0 B\n"
            "mean  19.5 µs  19.5 µs           0 ps     0 ps     0 ps  0 ps      0   0 B\n"
            " max    39 µs    39 µs           0 ps     0 ps     0 ps  0 ps      0   0 B\n"
            "each of the 40 NPUs: with -v, --format csv or json\n");
  out.clear();
  append_text(result, out, {.all = true});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2 + 40 + 1);
}

TEST(Report, NanosecondsAreExact) {
  EXPECT_EQ(format_ns(0), "0");
  EXPECT_EQ(format_ns(1500), "1.5");
  EXPECT_EQ(format_ns(-1), "-0.001");
  EXPECT_EQ(format_ns(-1500), "-1.5");
  EXPECT_EQ(format_ns(1'000'000), "1000");
}

// A long report is the same in pieces, which are taken before it is complete.
TEST(Report, LongOnesAreDrained) {
  ReplayResult result;
  result.npus.resize(60'000);
  for (const bool json : {true, false}) {
    std::string pieces;
    std::size_t taken = 0;
    const auto append = [&](std::string& out, const ReportOptions& options) {
      json ? append_json(result, out, options) : append_csv(result, out, options);
    };
    std::string whole;
    append(whole, {});
    const auto drain = [&](std::string& text) {
      EXPECT_LT(text.size(), std::size_t{2} << 20U);
      pieces += text;
      text.clear();
      ++taken;
    };
    std::string rest;
    append(rest, {.drain = drain});
    EXPECT_EQ(pieces + rest, whole);
    EXPECT_GE(taken, 1U);
  }
}

}  // namespace
}  // namespace convert
