// SPDX-License-Identifier: MIT
#include "simulate/engine/local_memory.h"

#include <gtest/gtest.h>

#include "common/findings.h"
#include "simulate/report/memory_trace.h"
#include "simulate/report/report.h"
#include "simulate/report/run.h"
#include "unit/simulate/traces.h"

namespace convert::test {
namespace {

using Strings = std::vector<std::string>;

void add_tensors(Trace& t, const Strings& inputs, const Strings& outputs) {
  t.nodes.add_strings(attr::inputs, inputs);
  t.nodes.add_strings(attr::outputs, outputs);
}

void work(Trace& t, NodeId id, std::uint64_t us, std::initializer_list<NodeId> parents, const Strings& inputs,
          const Strings& outputs) {
  add_node(t, NodeType::comp, id, parents);
  t.nodes.nodes.back().duration_us = us;
  add_tensors(t, inputs, outputs);
  t.nodes.end_node();
}

// w: [0, 60) us, a: [0, 30), b: [10, 60), c: from 30. In use: from 0 1100, from 10 3100, from 30 2600, from 60 500.
Trace chain(Rank rank) {
  Trace t = rank_trace(rank);
  work(t, 0, 10, {}, {"w", "100"}, {"a", "1000"});
  work(t, 1, 20, {0}, {"a", "1000"}, {"b", "2000"});
  work(t, 2, 30, {1}, {"b", "2000", "w", "100"}, {"c", "500"});
  return t;
}

ReplayOptions tracking(MemoryTracking memory = MemoryTracking::peaks) {
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.memory = memory;
  return options;
}

std::optional<ReplayProgram> compile(const std::vector<Trace>& traces, const ReplayOptions& options,
                                     Diagnostics& diagnostics, const std::string& network = "ideal") {
  ReplayBuilder builder(parse_short_network(network), options, diagnostics);
  for (const Trace& t : traces) builder.add(t);
  return builder.finish();
}

ReplayResult run_tracking(const std::vector<Trace>& traces, const ReplayOptions& options = tracking(),
                          const std::string& network = "ideal") {
  Diagnostics diagnostics;
  const auto program = compile(traces, options, diagnostics, network);
  if (!program) throw first_finding(diagnostics);
  return replay(*program);
}

// Peak memory use, in bytes, and its begin, such as "3100 at 10 µs"; "-" if unknown.
std::string peak(const ReplayResult& r, std::size_t npu = 0) {
  const auto& p = r.npus[npu].peak_memory;
  return p ? std::to_string(p->bytes) + " at " + format_time(p->at_ps) : "-";
}

std::string memory_findings(const Trace& trace) {
  Diagnostics diagnostics;
  EXPECT_FALSE(compile({trace}, tracking(), diagnostics));
  return findings_text(diagnostics);
}

TEST(LocalMemory, FindsThePeakAndItsTensors) {
  const ReplayResult r = run_tracking({chain(0)});
  EXPECT_EQ(peak(r), "3100 at 10 µs");
  ASSERT_TRUE(r.peak_tensors);
  EXPECT_EQ(r.peak_tensors->npu, 0U);
  EXPECT_EQ(r.peak_tensors->tensors, 3U);
  const std::vector<std::pair<std::string, std::int64_t>> expected = {{"b", 2000}, {"a", 1000}, {"w", 100}};
  EXPECT_EQ(r.peak_tensors->largest, expected);
  EXPECT_TRUE(r.spans.empty());
}

TEST(LocalMemory, IsNotTrackedUnasked) {
  const ReplayResult r = run_tracking({chain(0)}, tracking(MemoryTracking::off));
  EXPECT_EQ(peak(r), "-");
  EXPECT_FALSE(r.peak_tensors);
  std::string csv;
  append_csv(r, csv);
  EXPECT_TRUE(csv.ends_with(",,\n")) << csv;
}

// Memory freed at a time is available for nodes that start then.
TEST(LocalMemory, FreesBeforeItAllocates) {
  Trace t = rank_trace(0);
  work(t, 0, 10, {}, {}, {"a", "1000"});
  work(t, 1, 10, {0}, {"a", "1000"}, {});
  work(t, 2, 10, {1}, {}, {"b", "1000"});
  EXPECT_EQ(peak(run_tracking({t})), "1000 at 0 ps");
}

TEST(LocalMemory, CountsToTheLastReader) {
  Trace t = rank_trace(0);
  work(t, 0, 10, {}, {}, {"a", "1000"});
  work(t, 1, 10, {0}, {"a", "1000"}, {});
  work(t, 2, 10, {1}, {}, {"b", "300", "none", "0"});
  work(t, 3, 10, {2}, {"a", "1000"}, {"c", "20"});  // b is never read: it stays
  EXPECT_EQ(peak(run_tracking({t})), "1320 at 30 µs");
}

// A weight exists before its optimizer writes it, and stays afterwards.
TEST(LocalMemory, KeepsWhatIsWrittenInPlace) {
  Trace t = rank_trace(0);
  work(t, 0, 10, {}, {"w", "100"}, {"g", "7"});
  work(t, 1, 10, {0}, {"w", "100", "g", "7"}, {"w", "100"});
  work(t, 2, 10, {1}, {}, {"next", "50"});
  EXPECT_EQ(peak(run_tracking({t})), "150 at 20 µs");
}

// A tensor existed before if this is its only use, or if another node writes it later.
TEST(LocalMemory, WhatItsFirstNodeReadsAndWritesWasThere) {
  Trace t = rank_trace(0);
  work(t, 0, 10, {}, {}, {"a", "1000"});
  work(t, 1, 10, {0}, {"a", "1000"}, {});
  work(t, 2, 10, {1}, {"w", "8000"}, {"w", "8000"});
  EXPECT_EQ(peak(run_tracking({t})), "9000 at 0 ps");
  work(t, 3, 10, {2}, {}, {"w", "8000"});
  EXPECT_EQ(peak(run_tracking({t})), "9000 at 0 ps");
  // Not if another node has written it before.
  t = rank_trace(0);
  work(t, 0, 10, {}, {}, {"a", "1000"});
  work(t, 1, 10, {0}, {"a", "1000"}, {"w", "8000"});
  work(t, 2, 10, {1}, {"w", "8000"}, {"w", "8000"});
  work(t, 3, 10, {2}, {}, {"b", "10"});
  EXPECT_EQ(peak(run_tracking({t})), "9000 at 10 µs");
}

// Ends count: a long node that begins to read before another one writes reads the written data.
TEST(LocalMemory, AReaderThatEndsLaterReadsWhatWasWritten) {
  Trace t = rank_trace(0);
  work(t, 0, 100, {}, {"w", "8000"}, {});
  add_node(t, NodeType::comp, 1, {});
  t.nodes.nodes.back().duration_us = 5;
  t.nodes.add_bool(attr::is_cpu_op, true);
  add_tensors(t, {}, {"b", "10"});
  t.nodes.end_node();
  add_node(t, NodeType::comp, 2, {1});
  t.nodes.nodes.back().duration_us = 5;
  t.nodes.add_bool(attr::is_cpu_op, true);
  add_tensors(t, {}, {"w", "8000"});
  t.nodes.end_node();
  EXPECT_EQ(peak(run_tracking({t})), "8010 at 5 µs");
}

TEST(LocalMemory, CountsNodesOfAllTypes) {
  Trace a = rank_trace(0);
  add_node(a, NodeType::comm_send, 0, {});
  a.nodes.add_int(attr::comm_dst, Kind::int32_val, 1);
  a.nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
  a.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
  add_tensors(a, {"x", "1000"}, {});
  a.nodes.end_node();
  Trace b = rank_trace(1);
  add_node(b, NodeType::metadata, 7, {});  // needs no tensors
  b.nodes.end_node();
  add_node(b, NodeType::comm_recv, 0, {});
  b.nodes.add_int(attr::comm_src, Kind::int32_val, 0);
  b.nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
  b.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
  add_tensors(b, {}, {"y", "1000"});
  b.nodes.end_node();
  work(b, 1, 1, {0}, {"y", "1000"}, {"z", "30"});
  // 1000 bytes take 1010 ns.
  const ReplayResult r = run_tracking({a, b}, tracking(), "ring:2,bw=1GB/s,lat=10ns");
  EXPECT_EQ(peak(r, 0), "1000 at 0 ps");
  EXPECT_EQ(peak(r, 1), "1030 at 1.01 µs");
}

TEST(LocalMemory, OfAnUnfinishedReplay) {
  ReplayOptions options = tracking();
  options.until = 9'000'000;
  const ReplayResult r = run_tracking({chain(0)}, options);
  EXPECT_EQ(r.status, ReplayStatus::stopped);
  EXPECT_EQ(peak(r), "1100 at 0 ps");
}

TEST(LocalMemory, IsTheSameWithOneRankForAll) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < 4; ++r) {
    traces.push_back(chain(r));
    Trace& t = traces.back();
    add_node(t, NodeType::comm_coll, 3, {1});
    t.nodes.add_int(attr::comm_type, Kind::int64_val, 0);
    t.nodes.add_int(attr::comm_size, Kind::int64_val, 100'000);
    add_tensors(t, {"b", "2000"}, {"sum", "40000"});
    t.nodes.end_node();
  }
  ReplayOptions options = tracking();
  const ReplayResult with = run_tracking(traces, options, "ring:4,bw=1GB/s,lat=10ns");
  options.symmetry = false;
  const ReplayResult without = run_tracking(traces, options, "ring:4,bw=1GB/s,lat=10ns");
  EXPECT_EQ(with.classes, 1U);
  EXPECT_EQ(without.classes, 0U);
  for (std::size_t npu = 0; npu < 4; ++npu) {
    EXPECT_EQ(peak(with, npu), "42600 at 30 µs");  // w, b, c, sum
    EXPECT_EQ(peak(without, npu), peak(with, npu));
  }
  // Other sizes on one rank.
  work(traces[2], 4, 1, {2}, {"c", "500"}, {"big", "90000"});
  for (const Rank r : {0U, 1U, 3U}) work(traces[r], 4, 1, {2}, {"c", "500"}, {"big", "80000"});
  options.symmetry = true;
  const ReplayResult mixed = run_tracking(traces, options, "ring:4,bw=1GB/s,lat=10ns");
  EXPECT_EQ(mixed.classes, 0U);
  EXPECT_EQ(mixed.npus[2].peak_memory->bytes - mixed.npus[1].peak_memory->bytes, 10'000);
  EXPECT_EQ(mixed.npus[3].peak_memory->bytes, mixed.npus[1].peak_memory->bytes);
  EXPECT_EQ(mixed.peak_tensors->npu, 2U);
}

TEST(LocalMemory, RefusesWhatDoesNotSayItsTensors) {
  Trace t = rank_trace(0);
  comp(t, 5, 1);
  EXPECT_EQ(memory_findings(t),
            "t.0.et: error: node 5: attribute inputs is missing; tracking of local memory requires inputs and "
            "outputs of every node [tensors]\n"
            "t.0.et: error: node 5: attribute outputs is missing; tracking of local memory requires inputs and "
            "outputs of every node [tensors]\n");
  t = rank_trace(0);
  work(t, 5, 1, {}, {"a", "10", "b"}, {"c", "12x", "d", "-4", "e", ""});
  EXPECT_EQ(memory_findings(t),
            "t.0.et: error: node 5: attribute inputs has 3 elements; tensor names and sizes in bytes must "
            "alternate [tensors]\n"
            "t.0.et: error: node 5: attribute outputs: the size of tensor \"c\" is \"12x\", not a number of bytes "
            "[tensors]\n"
            "t.0.et: error: node 5: attribute outputs: the size of tensor \"d\" is \"-4\", not a number of bytes "
            "[tensors]\n"
            "t.0.et: error: node 5: attribute outputs: the size of tensor \"e\" is \"\", not a number of bytes "
            "[tensors]\n");
  t = rank_trace(0);
  add_node(t, NodeType::comp, 5, {});
  t.nodes.add_int(attr::inputs, Kind::int64_val, 3);
  t.nodes.add_strings(attr::outputs, Strings{"a", "10"});
  t.nodes.end_node();
  work(t, 6, 1, {}, {"a", "20"}, {});
  EXPECT_EQ(memory_findings(t),
            "t.0.et: error: node 5: attribute inputs is of kind int64_val, not string_list [tensors]\n"
            "t.0.et: error: node 6: tensor \"a\" has 20 bytes here, but 10 at node 5 [tensors]\n");
  t = rank_trace(0);
  work(t, 5, 1, {}, {"a", "9223372036854775807"}, {"b", "1"});
  EXPECT_EQ(memory_findings(t),
            "t.0.et: error: node 5: the tensors of the rank have more than 2^63-1 bytes in total [tensors]\n");
}

TEST(LocalMemory, Reports) {
  const ReplayResult r = run_tracking({chain(0)});
  std::string csv;
  append_csv(r, csv);
  EXPECT_NE(csv.find(",cpu_ns,peak_memory_bytes,peak_memory_at_ns\n"), std::string::npos) << csv;
  EXPECT_TRUE(csv.ends_with(",3100,10000\n")) << csv;
  std::string log;
  append_astra(r, log);
  EXPECT_TRUE(log.ends_with("[workload] [info] sys[0] peak memory usage: 3.03 KB\n")) << log;
  EXPECT_EQ(format_astra_bytes(0), "0.00 B");
  EXPECT_EQ(format_astra_bytes(1023), "1023.00 B");
  EXPECT_EQ(format_astra_bytes(1024), "1.00 KB");
  EXPECT_EQ(format_astra_bytes(1'048'575), "1024.00 KB");
  EXPECT_EQ(format_astra_bytes(std::int64_t{3} << 29), "1.50 GB");
  EXPECT_EQ(format_astra_bytes(std::int64_t{1} << 51), "2048.00 TB");
}

TEST(LocalMemory, IsInRuns) {
  ReplayOptions options = tracking();
  want_run(options);
  Diagnostics diagnostics;
  const auto program = compile({chain(0), chain(1)}, options, diagnostics, "ring:2,bw=1GB/s");
  ASSERT_TRUE(program);
  ReplayResult result = replay(*program);
  const auto run = make_run(result, &*program);
  std::string changes;
  for (const auto& m : run.memory)
    changes += std::to_string(m.npu) + " " + format_time(m.time_ps) + " " + std::to_string(m.bytes) + "; ";
  EXPECT_EQ(changes,
            "0 0 ps 1100; 0 10 µs 3100; 0 30 µs 2600; 0 60 µs 500; "
            "1 0 ps 1100; 1 10 µs 3100; 1 30 µs 2600; 1 60 µs 500; ");
  for (const auto& n : run.npus) EXPECT_EQ(n.peak_memory_bytes, 3100);

  ReplayOptions untracked = tracking(MemoryTracking::off);
  want_run(untracked);
  const auto other = compile({chain(0), chain(1)}, untracked, diagnostics, "ring:2,bw=1GB/s");
  ReplayResult plain = replay(*other);
  EXPECT_TRUE(make_run(plain, &*other).memory.empty());
}

TEST(LocalMemory, WritesATrace) {
  Trace t = rank_trace(0);
  work(t, 4, 10, {}, {"w", "1048576"}, {"a", "524288"});
  work(t, 5, 20, {4}, {"a", "524288"}, {});
  Diagnostics diagnostics;
  const auto program = compile({t}, tracking(MemoryTracking::trace), diagnostics);
  ASSERT_TRUE(program);
  std::string text;
  write_memory_trace(*program, replay(*program), 0, [&](std::string_view piece) { text += piece; });
  const std::string expected = R"json({"displayTimeUnit":"ns","traceEvents":[
 {"name":"process_name","ph":"M","pid":0,"args":{"name":"npu 0 reads and writes"}},
 {"name":"process_name","ph":"M","pid":1000000,"args":{"name":"npu 0 lifetimes of tensors"}},
 {"name":"process_name","ph":"M","pid":2000000,"args":{"name":"npu 0 memory"}},
 {"name":"w","cat":"tensorRead","ph":"B","ts":0,"pid":0,"tid":0,"args":{"size":1048576,"node_name":"n4","node_id":4}},
 {"name":"w","cat":"tensorRead","ph":"E","ts":10,"pid":0,"tid":0,"args":{"size":1048576,"node_name":"n4","node_id":4}},
 {"name":"a","cat":"tensorWrite","ph":"B","ts":0,"pid":0,"tid":1,"args":{"size":524288,"node_name":"n4","node_id":4}},
 {"name":"a","cat":"tensorWrite","ph":"E","ts":10,"pid":0,"tid":1,"args":{"size":524288,"node_name":"n4","node_id":4}},
 {"name":"a","cat":"tensorRead","ph":"B","ts":10,"pid":0,"tid":1,"args":{"size":524288,"node_name":"n5","node_id":5}},
 {"name":"a","cat":"tensorRead","ph":"E","ts":30,"pid":0,"tid":1,"args":{"size":524288,"node_name":"n5","node_id":5}},
 {"name":"w","cat":"tensorLifetime","ph":"B","ts":0,"pid":1000000,"tid":0,"args":{"size":1048576}},
 {"name":"w","cat":"tensorLifetime","ph":"E","ts":10,"pid":1000000,"tid":0,"args":{"size":1048576}},
 {"name":"a","cat":"tensorLifetime","ph":"B","ts":0,"pid":1000000,"tid":1,"args":{"size":524288}},
 {"name":"a","cat":"tensorLifetime","ph":"E","ts":30,"pid":1000000,"tid":1,"args":{"size":524288}},
 {"name":"GPU Memory Usage (MB)","cat":"GPU Memory","ph":"C","ts":0,"pid":2000000,"args":{"Memory_MB":1.5}},
 {"name":"GPU Memory Usage (MB)","cat":"GPU Memory","ph":"C","ts":10,"pid":2000000,"args":{"Memory_MB":0.5}},
 {"name":"GPU Memory Usage (MB)","cat":"GPU Memory","ph":"C","ts":30,"pid":2000000,"args":{"Memory_MB":0}}
]}
)json";
  EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace convert::test
