// SPDX-License-Identifier: MIT
#include "sets/derived/merging.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "collectives/collective.h"
#include "common/error_text.h"
#include "common/replaced.h"
#include "common/scratch.h"
#include "formats/format.h"
#include "generate/trace_builder.h"
#include "passes/lower/lower.h"
#include "sets/made_set.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

class Merging : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  // Computations and all-reduces alternate; every second one has half of the bytes, in groups of two.
  static std::vector<Trace> workload(Rank ranks, int rounds = 3) {
    std::vector<Trace> traces;
    for (Rank r = 0; r < ranks; ++r) {
      TraceBuilder b(r);
      TraceBuilder::Parents after;
      for (int i = 0; i < rounds; ++i) {
        after = {b.compute("c", 1000 + r, after)};
        after.push_back(b.collective(Collective::all_reduce, 4096, after));
        after.push_back(b.collective(Collective::all_gather, 2048, after, std::nullopt, r % 2 == 0 ? "1" : "2"));
      }
      traces.push_back(b.finish());
    }
    return traces;
  }

  struct Result {
    std::string bytes;  // of all ranks, or the error
    std::vector<std::string> findings;
    MergeCounts counts;
  };
  Result merged(const std::string& operand, MergeOptions options) const {
    Result result;
    Diagnostics diagnostics;
    try {
      TraceSource source({.operands = {path(operand)}}, diagnostics);
      EXPECT_TRUE(source.prepare(false));
      const unsigned jobs = options.jobs;
      MergedSet set(source, std::move(options), diagnostics);
      const auto writer = find_format("chakra").write({});
      set.for_each_trace(jobs, [&](Trace&& t) {
        writer->begin_rank(t, 0, true, result.bytes);
        writer->nodes(t, result.bytes);
      });
      set.finish();
      result.counts = set.counts();
    } catch (const Error& e) {
      result.bytes = test::text_of(e);
      result.bytes = test::all_replaced(result.bytes, folder_.path() + "/", "");
    }
    for (const Diagnostic& d : diagnostics.all()) {
      result.findings.push_back(test::all_replaced(format_diagnostic(d), folder_.path() + "/", ""));
    }
    return result;
  }
  static MergeOptions rules(const std::vector<std::string>& builtin) {
    MergeOptions options;
    for (const std::string& text : builtin) options.rules.push_back(parse_collective_rule(text));
    return options;
  }

  test::Scratch folder_;
};

TEST_F(Merging, FilesStreamsAndThreadsGiveTheSameBytes) {
  write_traces(workload(4), path("w"));
  write_traces(workload(4), path("w.jsonl"));
  write("w.groups.json", R"({"1": [2, 0], "2": [1, 3]})");
  const MergeOptions options = rules({"all_reduce=ring", "all_gather:pg=1=direct", "all_gather=ring,chunks=2"});
  const Result one = merged("w", options);
  EXPECT_EQ(one.findings, std::vector<std::string>{});
  EXPECT_EQ(one.counts.merged, 24U);
  EXPECT_EQ(one.counts.kept, 0U);
  MergeOptions threads = options;
  threads.jobs = 4;
  EXPECT_EQ(merged("w", threads).bytes, one.bytes);
  EXPECT_EQ(merged("w", threads).counts.added, one.counts.added);
  const MergeOptions reduce = rules({"all_reduce=ring"});  // a document has no groups
  EXPECT_EQ(merged("w.jsonl", reduce).counts.kept, 12U);
  fs::remove(path("w.groups.json"));
  EXPECT_EQ(merged("w.jsonl", reduce).bytes, merged("w", reduce).bytes);
}

TEST_F(Merging, ProgramsTheirTracesAndBuiltinsAreTheSame) {
  write_traces(workload(4), path("w"));
  const Algorithm ring = build_collective({.collective = Collective::all_reduce, .algorithm = "ring", .ranks = 4});
  std::string text;
  find_format("msccl").write_algorithm(ring, {}, text);
  write("ring.xml", text);
  Diagnostics diagnostics;
  const Lowering lowering(ring, std::nullopt, diagnostics);
  std::vector<Trace> traces(4);
  for (Rank r = 0; r < 4; ++r) lowering.lower(r, traces[r]);
  write_traces(traces, path("ring4"));
  MergeOptions program;
  program.rules.push_back(parse_collective_rule("all_reduce=" + path("ring.xml")));
  MergeOptions set;
  set.rules.push_back(parse_collective_rule("all_reduce=" + path("ring4")));
  const Result built = merged("w", rules({"all_reduce=ring"}));
  EXPECT_EQ(built.counts.merged, 12U);
  EXPECT_EQ(merged("w", program).bytes, built.bytes);
  EXPECT_EQ(merged("w", set).bytes, built.bytes);
}

TEST_F(Merging, APartOfTheRanksIsAsInTheWhole) {
  write_traces(workload(4), path("w"));
  write("w.groups.json", R"({"1": [0, 2], "2": [1, 3]})");
  MergeOptions options = rules({"all=ring"});
  std::string parts;
  for (Rank r = 0; r < 4; ++r) {
    options.ranks = std::vector<Rank>{r};
    parts += merged("w", options).bytes;
  }
  options.ranks.reset();
  EXPECT_EQ(merged("w", options).bytes, parts);
}

TEST_F(Merging, SaysWhatDoesNotFit) {
  write_traces(workload(4), path("w"));
  const std::string undefined = merged("w", rules({"all_gather=ring"})).bytes;
  EXPECT_NE(undefined.find("process group '1' is not defined"), std::string::npos) << undefined;
  const Result rest = merged("w", rules({"all_reduce=ring", "reduce=chain", "all_reduce=direct"}));
  EXPECT_EQ(rest.findings,
            (std::vector<std::string>{"w: warning: 'reduce=chain' matches no collective [merge]",
                                      "w: warning: 'all_reduce=direct' matches no collective [merge]"}));
  MergeOptions all = rules({"all_reduce=ring"});
  all.require_all = true;
  const std::string left = merged("w", all).bytes;
  EXPECT_EQ(left.substr(left.find("node")),
            "node 2: no rule fits this all_gather of 2048 bytes of group 1; --require-all requires one");
}

// Each has its own root, for which a builtin is made.
TEST_F(Merging, BuiltinsHaveTheRootsOfTheirCollectives) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < 4; ++r) {
    TraceBuilder b(r);
    b.collective(Collective::broadcast, 4096, {}, 1);
    b.collective(Collective::broadcast, 4096, {}, 3);
    if (r != 0) b.collective(Collective::reduce, 4096, {}, 3, "7");
    traces.push_back(b.finish());
  }
  write_traces(traces, path("w"));
  write("w.groups.json", R"({"7": [2, 3, 1]})");
  const Result good = merged("w", rules({"all=chain"}));
  EXPECT_EQ(good.findings, std::vector<std::string>{});
  EXPECT_EQ(good.counts.merged, 11U);
  const std::string bad = merged("w", rules({"all=chain,root=1"})).bytes;
  EXPECT_EQ(bad.substr(bad.find("node")),
            "node 1: its root is member 3 of its group, but the root of chain,root=1 is rank 1; use --misfits warn "
            "to merge it anyway");
  MergeOptions warn = rules({"all=chain,root=1"});
  warn.allow_misfits = true;
  EXPECT_EQ(merged("w", warn).counts.misfits, 4U);
}

TEST_F(Merging, AlgorithmsAreCheckedBeforeTheyAreUsed) {
  write_traces(workload(2), path("w"));
  std::vector<Trace> algorithm;
  for (Rank r = 0; r < 2; ++r) {
    TraceBuilder b(r);
    b.send(1 - r, 64, 5);
    b.receive(1 - r, 64, r == 0 ? 5 : 6);  // a tag that no rank sends
    algorithm.push_back(b.finish());
  }
  write_traces(algorithm, path("two"));
  MergeOptions options;
  options.rules.push_back(parse_collective_rule("all_reduce=" + path("two")));
  Diagnostics diagnostics;
  TraceSource source({.operands = {path("w")}}, diagnostics);
  ASSERT_TRUE(source.prepare(false));
  const MergedSet set(source, options, diagnostics);
  EXPECT_NE(diagnostics.errors(), 0U);
}

TEST_F(Merging, RanksMustAgree) {
  std::vector<Trace> traces = workload(3);
  traces[1] = std::move(workload(3, 2)[1]);
  write_traces(traces, path("w"));
  const Result other = merged("w", rules({"all_reduce=ring"}));
  EXPECT_EQ(other.bytes, "");
  ASSERT_FALSE(other.findings.empty());
  EXPECT_NE(other.findings.front().find("rank 1 has 2 collectives of all ranks"), std::string::npos)
      << other.findings.front();
  fs::remove(path("w.1.et"));
  EXPECT_NE(merged("w", rules({"all_reduce=ring"})).bytes.find("w.1.et"), std::string::npos);
}

}  // namespace
}  // namespace convert
