// SPDX-License-Identifier: MIT
// Sets joined into one trace and split again, collectives merged and folded back: the same bytes.
#include "sets/derived/splitting.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "common/findings.h"
#include "common/testdata.h"
#include "core/world_size.h"
#include "generate/generate.h"
#include "generate/trace_builder.h"
#include "sets/derived/merging.h"
#include "sets/derived/rankwise.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;

std::vector<Trace> generated(const GenerateRequest& request) {
  const MakeTrace make = trace_generator(request);
  std::vector<Trace> traces;
  for (Rank r = 0; r < request.ranks; ++r) traces.push_back(make(r));
  return traces;
}

// Returns a thrown error as a finding; "" if nothing is thrown.
template <class Run>
std::string thrown_finding(const Run& run) {
  Diagnostics diagnostics;
  read_with_findings([&](Diagnostics&) { run(); }, diagnostics);
  return diagnostics.all().empty() ? "" : finding_lines(diagnostics).at(0);
}

TEST(Joining, SplitGivesTestdataBackByteForByte) {
  std::size_t sets = 0;
  for (const char* folder : {"msccl", "jsonl", "flexflow", "pytorch"}) {
    for (const auto& entry : std::filesystem::directory_iterator(testdata(folder))) {
      const std::string path = entry.path();
      if (path.find("/okay-") == std::string::npos || path.find("devices") != std::string::npos) continue;
      for (const char* from : {"", "flexflow,single=yes"}) {
        if (*from != 0 && std::string(folder) != "flexflow") continue;
        if (*from == 0 && path.ends_with("okay-stock.dot")) continue;  // names no devices
        SCOPED_TRACE(path);
        Diagnostics diagnostics;
        SourceOptions options{.operands = {path}, .hash = true};
        if (*from != 0) options.from = from;
        TraceSource source(options, diagnostics);
        ASSERT_TRUE(source.prepare(false));
        const SetBytes before = set_bytes(source);
        TraceSource again(options, diagnostics);
        ASSERT_TRUE(again.prepare(false));
        EXPECT_TRUE(joined_and_split(again) == before);
        ++sets;
      }
    }
  }
  EXPECT_GE(sets, 15U);
}

TEST(Joining, SplitGivesGeneratedSetsBack) {
  for (const TraceKind& kind : trace_kinds()) {
    SCOPED_TRACE(kind.name);
    GenerateRequest request{.kind = std::string(kind.name), .ranks = 5};
    std::vector<Trace> traces;
    try {
      traces = generated(request);
    } catch (const Error&) {
      continue;  // requires more options
    }
    HeldSet set(traces);
    EXPECT_TRUE(joined_and_split(set) == set_bytes(set));
  }
}

// Sparse ids, dangling dependencies, a duplicate id, a rank without nodes, gaps between ranks, nodes in any order,
// attributes with the names that a join uses.
TEST(Joining, WhatIsOddStays) {
  std::vector<Trace> traces(3);
  const std::vector<Rank> numbers = {2, 3, 7};
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].rank = numbers[i];
    traces[i].name = "t." + std::to_string(numbers[i]) + ".et";
    traces[i].metadata.version = i == 1 ? "" : "0.0.4";
    traces[i].metadata.table.add_strings(attr::history, std::vector<std::string>{"a", std::to_string(i)});
  }
  NodeTable& near = traces[0].nodes;
  near.add_node(9, NodeType::comp, "nine");
  near.add_data_dep(3);
  near.add_data_dep(17);  // dangling
  near.add_ctrl_dep(3);
  near.add_int(attr::tensor_size, Kind::fixed64_val, -1);
  near.add_int(attr::npu, Kind::int32_val, 5);
  near.add_int(attr::joined_id, Kind::uint64_val, 5);
  near.end_node();
  near.add_node(3, static_cast<NodeType>(77), "");
  near.end_node();
  near.add_node(3, NodeType::comp, "three again");
  near.add_string(attr::npu, "one");
  near.end_node();
  NodeTable& far = traces[2].nodes;
  far.add_node(std::numeric_limits<NodeId>::max(), NodeType::comp, "last");
  far.add_data_dep(std::uint64_t{1} << 63);
  far.end_node();
  far.add_node(std::uint64_t{1} << 63, NodeType::comp, "middle");
  far.add_int(attr::joined_id, Kind::uint64_val, 5);
  far.end_node();
  HeldSet set(traces, "{\"1\":[2,  7, 900]}");
  EXPECT_TRUE(joined_and_split(set) == set_bytes(set));
  traces[2].nodes.add_node(1, NodeType::comp, "lost");
  traces[2].nodes.add_data_dep(2);
  traces[2].nodes.end_node();
  HeldSet dangling(traces);
  EXPECT_EQ(thrown_finding([&] { (void)joined_and_split(dangling); }),
            "t.7.et: error: node 1 depends on node 2, which does not exist [joined]");
}

TEST(Joining, WhatWasDoneToTheWholeIsInTheHistoryOfTheRanks) {
  auto traces = generated({.kind = "layers", .ranks = 2});
  for (Trace& t : traces) t.metadata.table.add_strings(attr::history, std::vector<std::string>{"made"});
  HeldSet set(traces);
  JoinedSet joined(set, 1);
  std::vector<Trace> system = joined.load(1);
  system[0].metadata.table.add_strings(attr::history, std::vector<std::string>{"joined"});
  HeldSet one(system);
  Diagnostics diagnostics;
  SplitSet split(one, {}, diagnostics);
  const Trace rank = split.load(1).at(1);
  const auto& table = rank.metadata.table;
  const Attr* const history = find(table.attrs, attr::history);
  ASSERT_NE(history, nullptr);
  ASSERT_EQ(history->size, 2U);
  EXPECT_EQ(table.view(table.string_list(*history)[0]), "made");
  EXPECT_EQ(table.view(table.string_list(*history)[1]), "joined");
}

class Collapsing : public ::testing::Test {
 protected:
  static void expect_undone(const std::vector<Trace>& workload, const std::string& groups, const std::string& rule,
                            std::uint32_t chunks) {
    SCOPED_TRACE(rule + " in " + std::to_string(chunks));
    Diagnostics diagnostics;
    HeldSet set(workload, groups);
    const SetBytes before = set_bytes(set);
    MergeOptions merge{.rules = {parse_collective_rule(rule)}, .chunks = chunks};
    MergedSet merged(set, std::move(merge), diagnostics);
    const std::vector<Trace> traces = merged.load(1);
    EXPECT_GT(merged.counts().merged, 0U);
    HeldSet held(traces, groups);
    RankwiseSet collapsed(held, {.collapse = true}, diagnostics);
    EXPECT_TRUE(set_bytes(collapsed) == before);
    EXPECT_EQ(collapsed.counts().folded.collectives, merged.counts().merged);
    EXPECT_EQ(collapsed.counts().folded.nodes, merged.counts().added);
  }
};

TEST_F(Collapsing, UndoesEveryMergeByteForByte) {
  const auto layers = generated(
      {.kind = "layers",
       .ranks = 8,
       .comm = {parse_generated_collective("all_reduce:1MiB"), parse_generated_collective("all_gather:64KiB")},
       .layers = 2});
  const auto collectives = generated({.kind = "collectives",
                                      .ranks = 4,
                                      .comm = {parse_generated_collective("all_reduce:1MiB")},
                                      .count = 5,
                                      .chained = false});
  const auto random = generated({.kind = "random", .ranks = 4, .seed = 3});
  for (const char* name : {"ring", "direct", "halving_doubling", "double_binary_tree", "rabenseifner"}) {
    for (const std::uint32_t chunks : {1U, 3U}) {
      const std::string rule = std::string("all_reduce=") + name;
      expect_undone(layers, "", rule, chunks);
      expect_undone(collectives, "", rule, chunks);
      expect_undone(random, "", rule, chunks);
    }
  }
  expect_undone(layers, "", "all_gather=ring", 2);
}

// Groups, times, text in addition to attributes, dependencies of both kinds and duplicate ones, and attributes with
// the names that a merge uses.
TEST_F(Collapsing, GivesBackAllThatACollectiveSaid) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < 4; ++r) {
    Trace t;
    t.rank = r;
    t.name = "t." + std::to_string(r) + ".et";
    NodeTable& n = t.nodes;
    n.add_node(2, NodeType::comp, "before");
    n.end_node();
    for (const NodeId id : {5U, 8U}) {
      Node& c = n.add_node(id, NodeType::comm_coll, "c" + std::to_string(id));
      c.start_us = id == 5 ? 77 : 0;
      c.duration_us = 3;
      n.add_data_dep(id == 5 ? 2 : 5);
      n.add_data_dep(2);
      n.add_ctrl_dep(id == 5 ? 2 : 5);
      if (id == 8) n.add_ctrl_dep(5);
      n.add_int(attr::comm_type, Kind::int64_val, 0);
      n.add_int(attr::comm_size, Kind::uint64_val, 4096);
      n.add_string(attr::pg_name, r < 2 ? "1" : "2");
      n.add_int(Name(std::string_view("start_time_micros")), Kind::uint64_val, 5);
      n.add_ints(attr::involved_dim, Kind::bool_list, std::vector<std::int64_t>{1, 0});
      n.end_node();
    }
    n.add_node(9, NodeType::comp, "behind");
    n.add_ctrl_dep(8);
    n.add_data_dep(5);
    n.end_node();
    traces.push_back(std::move(t));
  }
  expect_undone(traces, R"({"1": [1, 0], "2": [2, 3]})", "all_reduce=ring", 1);
  expect_undone(traces, R"({"1": [1, 0], "2": [2, 3]})", "all_reduce=ring", 2);
}

TEST(SplittingTaskGraphs, IsTheGraphThatADeviceMapGives) {
  struct Case {
    const char* graph;
    std::string direct;
    std::optional<std::string> map;
  };
  const std::string map = testdata("flexflow/okay-devices.csv");
  for (const Case& c : {Case{"flexflow/okay-stock.dot", "flexflow,devices=" + map, map},
                        Case{"flexflow/okay-chakra.dot", "flexflow", std::nullopt}}) {
    SCOPED_TRACE(c.graph);
    Diagnostics diagnostics;
    TraceSource direct({.operands = {testdata(c.graph)}, .from = c.direct, .hash = false}, diagnostics);
    TraceSource whole({.operands = {testdata(c.graph)}, .from = "flexflow,single=yes", .hash = false}, diagnostics);
    SplitOptions options;
    options.map = c.map;
    SplitSet split(whole, options, diagnostics);
    EXPECT_TRUE(tasks_of(split) == tasks_of(direct));
  }
}

TEST(Subsets, TakeRanksAndTheirGroups) {
  auto traces = generated({.kind = "layers", .ranks = 4, .comm = {parse_generated_collective("all_reduce:1MiB")}});
  HeldSet set(traces, R"({"1": [0, 1], "2": [3, 2], "3": [1, 2, 3]})");
  Diagnostics diagnostics;
  RankwiseSet subset(set, {.subset = RankSubset{.ranks = {2, 3}}}, diagnostics);
  auto taken = subset.load(1);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[1].rank, 1U);
  EXPECT_EQ(world_size(taken[0].metadata), static_cast<Rank>(taken.size()));
  set_world_size(taken[0].metadata, *world_size(traces[2].metadata));
  EXPECT_EQ(et_bytes(taken[0]), et_bytes(traces[2]));
  EXPECT_EQ(subset.groups()->json, "{\n \"2\":[1,0],\n \"3\":[0,1]\n}\n");
  subset.finish();
  ASSERT_EQ(diagnostics.warnings(), 1U);
  RankwiseSet kept(set, {.subset = RankSubset{.ranks = {2, 3}, .renumber = false}}, diagnostics);
  EXPECT_EQ(kept.load(1).at(0).rank, 2U);
  EXPECT_EQ(kept.groups()->json, "{\n \"2\":[3,2],\n \"3\":[2,3]\n}\n");
  RankwiseOptions beyond{.subset = RankSubset{.ranks = {1, 9}}};
  EXPECT_EQ(thrown_finding([&] { RankwiseSet(set, beyond, diagnostics); }),
            "error: --ranks: there is no rank 9; held has 4 ranks, up to 3");
}

// A collective's data about ranks is restricted to the selected ranks.
TEST(Subsets, CollectivesStateTheRanksThatAreLeft) {
  Trace t;
  t.name = "t.0.et";
  t.nodes.add_node(0, NodeType::comm_coll, "all to all");
  t.nodes.add_string(attr::pg_name, "5");
  t.nodes.add_int(attr::group_size, Kind::int32_val, 3);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, 240);
  t.nodes.add_ints(attr::send_splits, Kind::int64_list, std::vector<std::int64_t>{10, 20, 30});
  t.nodes.end_node();
  std::vector<Trace> traces(3, t);
  for (Rank r = 0; r < 3; ++r) traces[r].rank = r;
  HeldSet set(traces, R"({"5": [2, 0, 1]})");
  Diagnostics diagnostics;
  RankwiseSet subset(set, {.subset = RankSubset{.ranks = {0, 2}}}, diagnostics);
  const Trace taken = subset.load(1).at(0);
  const auto attrs = taken.nodes.attributes(taken.nodes.nodes.at(0));
  EXPECT_EQ(int_value(attrs, attr::group_size).value, 2);
  EXPECT_EQ(int_value(attrs, attr::comm_size).value, 120);
  const auto list = taken.nodes.list(*find(attrs, attr::send_splits));
  EXPECT_EQ(std::vector<std::uint64_t>(list.begin(), list.end()), (std::vector<std::uint64_t>{10, 20}));
}

}  // namespace
}  // namespace convert
