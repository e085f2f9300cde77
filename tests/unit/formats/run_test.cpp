// SPDX-License-Identifier: MIT
#include "formats/run/run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/diagnostic.h"
#include "formats/run/tables.h"

namespace convert {
namespace {

std::string run_bytes(const Run& run) {
  std::string bytes;
  const auto out = memory_output(bytes);
  write_run(run, *out);
  out->close();
  return bytes;
}

Run read_bytes(const std::string& bytes) {
  const auto input = memory_input("x.run", bytes);
  return read_run(*input);
}

std::string run_failure(const std::string& bytes) {
  try {
    (void)read_bytes(bytes);
  } catch (const Error& e) {
    return format_location(e.where()) + ": " + e.what();
  }
  return "";
}

// A run with a row in every table.
Run full_run() {
  Run r;
  r.title = "a \"title\"";
  r.recorded = true;
  r.status = RunStatus::deadlock;
  r.total_ps = 900;
  r.reached_ps = 1000;
  r.settings = {{"command", "et-replay x"}, {"model", "links"}};
  r.inputs = {{"x.0.et", "ab"}};
  r.limits = {"messages never wait"};
  r.hints = {"add a receive"};
  const std::uint32_t npu0 = r.texts.add("npu0");
  const std::uint32_t npu1 = r.texts.add("npu1");
  const std::uint32_t name = r.timeline.names.add("forward");
  r.timeline.slices.push_back({.begin_ps = 5,
                               .end_ps = 900,
                               .node = UINT64_MAX,
                               .bytes = INT64_MAX,
                               .flow = 1ULL << 63U,
                               .rank = 3,
                               .name = name,
                               .peer = 1,
                               .call = 0,
                               .lane = Lane::collective,
                               .open = true});
  r.timeline.slices.push_back({.begin_ps = 0, .end_ps = 4, .node = 1, .name = name});
  r.slack_ps = {0, 17};
  r.deps = {{1, 0}};
  r.npus = {
      {.rank = 3, .finish_ps = 900, .compute_ps = 4, .sends = 2, .bytes_sent = 7, .nodes = 2, .nodes_done = 1}};
  r.calls = {{.op = Collective::all_gather,
              .group = -7,
              .number = 4,
              .npus = 2,
              .size_bytes = 64,
              .algorithm = npu0,
              .source = npu1,
              .error_pct = 1.5,
              .bound_ps = 3,
              .begin_ps = 5,
              .last_begin_ps = 6,
              .end_ps = 900,
              .first_npu = 3,
              .first_node = 9}};
  r.call_npus = {{.call = 0, .npu = 3, .begin_ps = 5, .end_ps = 900}};
  r.path = {{.kind = Run::StepKind::compute, .npu = 3, .node = 1, .name = name, .time_ps = 4, .then = npu1},
            {.kind = Run::StepKind::unexplained, .begin_ps = 4, .time_ps = 896}};
  r.links = {{.from = npu0,
              .to = npu1,
              .dim = 0,
              .gb_per_s = 0.1,
              .latency_ns = 1e9,
              .bytes = 5,
              .messages = 1,
              .busy_ps = 10,
              .peak_queue = 2}};
  r.link_bin_ps = 500;
  r.link_bins_each = 2;
  r.link_bins = {255, 0};
  r.dims = {{npu0, 8, 50, 0.5}};
  r.matrix = {{0, 1, 64, 2}};
  r.whatif = {{Run::Change::free_call, 2, -7, npu0, npu1, -1}};
  r.classes = {{1, 0}};
  r.waits = {{3, 9, name, 5, npu1}};
  r.memory = {{3, 10, 1 << 20}};
  return r;
}

TEST(RunFile, IsReadAsItWasWritten) {
  const std::string bytes = run_bytes(full_run());
  const convert::Run r = read_bytes(bytes);
  EXPECT_EQ(run_bytes(r), bytes);
  EXPECT_EQ(r.title, "a \"title\"");
  EXPECT_TRUE(r.recorded);
  EXPECT_EQ(r.status, RunStatus::deadlock);
  ASSERT_EQ(r.timeline.slices.size(), 2U);
  const Slice& s = r.timeline.slices[0];
  EXPECT_EQ(s.node, UINT64_MAX);
  EXPECT_EQ(s.bytes, INT64_MAX);
  EXPECT_EQ(s.flow, 1ULL << 63U);
  EXPECT_EQ(r.timeline.name(s), "forward");
  EXPECT_TRUE(s.open);
  EXPECT_EQ(r.timeline.slices[1].call, no_index);
  EXPECT_EQ(r.calls[0].group, -7);
  EXPECT_EQ(r.texts[r.calls[0].source], r.texts[r.links[0].to]);
  EXPECT_EQ(r.calls[0].error_pct, 1.5);
  EXPECT_EQ(r.links[0].gb_per_s, 0.1);
  EXPECT_EQ(r.link_bins, (std::vector<std::uint8_t>{255, 0}));
  EXPECT_EQ(r.whatif[0].total_ps, -1);
  EXPECT_EQ(r.slack_ps, (std::vector<Picoseconds>{0, 17}));
  EXPECT_EQ(r.deps, (std::vector<convert::Run::Dep>{{1, 0}}));
}

TEST(RunFile, HasBlocksOfManyRows) {
  convert::Run r;
  r.total_ps = r.reached_ps = 200'000;
  for (std::uint32_t i = 0; i < 150'000; ++i) {
    const std::uint32_t name = r.timeline.names.add("node " + std::to_string(i));
    r.timeline.slices.push_back({.begin_ps = i, .end_ps = i + 1, .node = i, .rank = i % 7, .name = name});
  }
  const std::string bytes = run_bytes(r);
  EXPECT_LT(bytes.size(), 150'000 * 6U);
  const convert::Run again = read_bytes(bytes);
  ASSERT_EQ(again.timeline.slices.size(), 150'000U);
  EXPECT_EQ(again.timeline.name(again.timeline.slices.back()), "node 149999");
}

TEST(RunFile, SaysWhereItIsCut) {
  const std::string bytes = run_bytes(full_run());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(run_failure(bytes.substr(0, size)), "") << size;
  EXPECT_EQ(
      run_failure(bytes.substr(0, bytes.size() - 1)), "x.run:@0x" + [&] {
        char text[20];
        std::snprintf(text, sizeof text, "%zx", bytes.size() - 1);
        return std::string(text);
      }() + ": the run is truncated");
  EXPECT_NE(run_failure(bytes + "x").find("unexpected bytes after the run"), std::string::npos);
}

TEST(RunFile, IsNeverTakenWhenDamaged) {
  const std::string bytes = run_bytes(full_run());
  for (std::size_t i = 11; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    (void)run_failure(damaged);  // must not crash; a table with a changed name is skipped
  }
}

TEST(RunFile, RefusesANewerVersion) {
  std::string bytes = run_bytes(convert::Run());
  bytes[10] = 2;
  EXPECT_EQ(
      run_failure(bytes),
      "x.run:@0xa: this run was written by a newer etkit: its format is version 2, this etkit reads version 1");
  EXPECT_EQ(run_failure("PK"), "x.run:@0x0: this is not a run file");
}

// 2,000 blocks of 65,536 slices in 60 KB, one block damaged: the 5 GB that all require are detected first.
TEST(RunFile, RefusesTooDenseBlocksBeforeItUnpacksThem) {
  std::string bytes;
  const auto out = memory_output(bytes);
  blocks::Writer writer(*out, run_file::kind);
  const std::size_t head = bytes.size();
  std::size_t block = 0;
  for (int i = 0; i < 2000; ++i) {
    writer.block("slices", blocks::max_rows, std::string(1, '\0'));  // no columns
    if (i == 0) block = bytes.size() - head;
  }
  writer.finish();
  out->close();
  bytes[head + 10 * block - 1] ^= 1;  // the checksum of a block before the limit
  const std::string failure = run_failure(bytes);
  EXPECT_NE(failure.find("x.run: "), std::string::npos) << failure;
  EXPECT_NE(failure.find("of compressed data require more than"), std::string::npos) << failure;
  // Ten blocks are below the limit.
  bytes.resize(head + 10 * block);
  EXPECT_NE(run_failure(bytes).find("cannot be unpacked"), std::string::npos) << run_failure(bytes);
}

// Dense enough that block heads are read in advance, but within the limit.
TEST(RunFile, ReadsManyEqualRows) {
  convert::Run r;
  const std::size_t rows = 12 * blocks::max_rows;
  r.timeline.slices.resize(rows);
  (void)r.timeline.names.add("");
  const std::string bytes = run_bytes(r);
  EXPECT_LT(bytes.size() * 200, rows * sizeof(Slice));
  EXPECT_EQ(read_bytes(bytes).timeline.slices.size(), rows);
}

TEST(RunFile, RefusesNumbersThatLeadNowhere) {
  convert::Run r = full_run();
  r.timeline.slices[0].name = 5;
  EXPECT_NE(run_failure(run_bytes(r)).find("row 0 of table slices has an invalid name"), std::string::npos);
  r = full_run();
  r.timeline.slices[1].end_ps = -1;
  EXPECT_NE(run_failure(run_bytes(r)).find("row 1 of table slices"), std::string::npos);
  r = full_run();
  r.path[1].begin_ps = 5;
  EXPECT_NE(run_failure(run_bytes(r)).find("does not begin at the end of the previous step"), std::string::npos);
  r = full_run();
  r.calls.clear();
  EXPECT_NE(run_failure(run_bytes(r)).find("has an invalid call"), std::string::npos);
}

}  // namespace
}  // namespace convert
