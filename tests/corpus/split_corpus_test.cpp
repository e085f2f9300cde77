// SPDX-License-Identifier: MIT
// Every trace set of the corpus, and every algorithm and task graph that is not large: joined into one trace and
// split again to the same bytes; task graphs split by their ranks; collectives of workloads merged and folded back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/scratch.h"
#include "corpus.h"
#include "sets/derived/merging.h"
#include "sets/derived/rankwise.h"
#include "unit/sets/split_sets.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

void expect_identity(const SourceOptions& options) {
  SCOPED_TRACE(options.operands.front());
  Diagnostics diagnostics;
  TraceSource source(options, diagnostics);
  ASSERT_TRUE(source.prepare(false));
  const test::SetBytes before = test::set_bytes(source);
  TraceSource again(options, diagnostics);
  ASSERT_TRUE(again.prepare(false));
  EXPECT_TRUE(test::joined_and_split(again) == before);
}

TEST(SplitCorpus, TraceSets) {
  REQUIRE_CORPUS();
  std::size_t sets = 0;
  for (const fs::path& file : corpus::files_of(corpus::root(), ".0.et")) {
    const std::string prefix = file.string().substr(0, file.string().size() - 5);
    expect_identity({.operands = {prefix}, .hash = false});
    ++sets;
  }
  EXPECT_GT(sets, 300U);
}

// From Chakra's converter, linked here, with groups.
TEST(SplitCorpus, PyTorchTraces) {
  REQUIRE_CORPUS();
  const fs::path folder = corpus::root() / "pytorch";
  std::size_t traces = 0;
  for (const char* suffix : {"out.et", "out.et.gz"}) {
    for (const fs::path& file : corpus::files_of(folder / "expected", suffix)) {
      expect_identity({.operands = {file}, .hash = false});
      ++traces;
    }
  }
  EXPECT_GT(traces, 10U);
  SourceOptions options{.operands = {}, .hash = true};
  for (Rank r = 0; r < 4; ++r) {
    const fs::path set = folder / "inputs" / "syn_4rank";
    options.operands.push_back(set / ("host_" + std::to_string(r) + ".json.gz"));
    options.linked.push_back({.rank = r, .device = set / ("kineto_" + std::to_string(r) + ".json.gz")});
  }
  expect_identity(options);
}

TEST(SplitCorpus, AlgorithmsAndTaskGraphs) {
  REQUIRE_CORPUS();
  constexpr std::uintmax_t largest = 1'000'000;
  std::size_t algorithms = 0;
  for (const char* folder : {"real", "generated"}) {
    if (!fs::exists(corpus::root() / "msccl" / folder)) continue;
    for (const fs::path& file : corpus::files_of(corpus::root() / "msccl" / folder, ".xml")) {
      if (fs::file_size(file) > largest) continue;
      Diagnostics diagnostics;
      TraceSource source({.operands = {file}, .hash = false}, diagnostics);
      if (source.algorithm() == nullptr || !source.prepare(false)) continue;
      expect_identity({.operands = {file}, .hash = true});
      ++algorithms;
    }
  }
  EXPECT_GT(algorithms, 20U);
  for (const fs::path& file : corpus::files_of(corpus::root() / "flexflow", ".dot")) {
    if (!file.filename().string().starts_with("chakra_")) continue;
    expect_identity({.operands = {file}, .hash = false});
    expect_identity({.operands = {file}, .from = "flexflow,single=yes", .hash = false});
  }
}

// node7,3 or node7,0,1,4096 for each task of a graph that records ranks.
std::string map_of(const fs::path& graph) {
  std::string map;
  std::ifstream in(graph);
  for (std::string line; std::getline(in, line);) {
    int node = 0, rank = 0, from = 0, to = 0;
    long long bytes = 0;
    char name[200], type[200];
    if (std::sscanf(
            line.c_str(),
            " node%d [label=\"{ npu_id=%d | %199[^|]| %199[^|]| COMM_SEND_RECV_NODE | src=%d | dst=%d | size=%lld",
            &node, &rank, name, type, &from, &to, &bytes) == 7) {
      map += "node" + std::to_string(node) + "," + std::to_string(from) + "," + std::to_string(to) + "," +
             std::to_string(bytes) + "\n";
    } else if (std::sscanf(line.c_str(), " node%d [label=\"{ npu_id=%d", &node, &rank) == 2) {
      map += "node" + std::to_string(node) + "," + std::to_string(rank) + "\n";
    }
  }
  return map;
}

// Splitting the whole graph gives the same traces as the format with ranks.
TEST(SplitCorpus, TaskGraphs) {
  REQUIRE_CORPUS();
  const fs::path folder = corpus::root() / "flexflow";
  test::Scratch scratch;
  for (const std::string graph : {"l4_n4_data", "l12_n16_data", "l8_n4_pipeline"}) {
    SCOPED_TRACE(graph);
    Diagnostics diagnostics;
    const fs::path chakra = folder / ("chakra_" + graph + ".dot");
    TraceSource direct({.operands = {chakra}, .hash = false}, diagnostics);
    const auto expected = test::tasks_of(direct);
    ASSERT_FALSE(expected.empty());
    TraceSource whole({.operands = {chakra}, .from = "flexflow,single=yes", .hash = false}, diagnostics);
    SplitSet split(whole, {}, diagnostics);
    EXPECT_TRUE(test::tasks_of(split) == expected);
    const fs::path stock = folder / ("stock_" + graph + ".dot");
    if (!fs::exists(stock)) continue;
    const std::string map = scratch.write("map.csv", map_of(chakra));
    TraceSource mapped({.operands = {stock}, .from = "flexflow,devices=" + map, .hash = false}, diagnostics);
    TraceSource unmapped({.operands = {stock}, .from = "flexflow,single=yes", .hash = false}, diagnostics);
    SplitSet by_map(unmapped, {.map = map}, diagnostics);
    EXPECT_TRUE(test::tasks_of(by_map) == test::tasks_of(mapped));
  }
}

// Only workloads with ascending ids, as et-merge writes them.
TEST(SplitCorpus, CollapsingUndoesMerging) {
  REQUIRE_CORPUS();
  std::size_t merges = 0;
  for (const fs::path& file : corpus::files_of(corpus::root(), ".0.et")) {
    const std::string prefix = file.string().substr(0, file.string().size() - 5);
    SCOPED_TRACE(prefix);
    Diagnostics diagnostics;
    TraceSource source({.operands = {prefix}, .hash = false}, diagnostics);
    const std::vector<Trace> traces = source.load(1);
    const auto ascends = [](const Trace& t) {
      const auto by_id = [](const Node& a, const Node& b) { return a.id < b.id; };
      return std::is_sorted(t.nodes.nodes.begin(), t.nodes.nodes.end(), by_id);
    };
    if (traces.size() < 2 || !std::all_of(traces.begin(), traces.end(), ascends)) continue;
    const auto groups = source.groups();
    test::HeldSet workload(traces, groups ? groups->json : "");
    MergeOptions options{
        .rules = {parse_collective_rule("all_reduce=ring"), parse_collective_rule("all_gather=direct"),
                  parse_collective_rule("all_to_all=direct")},
        .chunks = 2};
    std::vector<Trace> merged;
    try {
      MergedSet set(workload, std::move(options), diagnostics);
      merged = set.load(1);
      if (set.counts().merged == 0) continue;
    } catch (const Error&) {
      continue;  // fewer bytes than chunks, groups that are not defined, ranks that call different collectives
    }
    test::HeldSet held(merged, groups ? groups->json : "");
    RankwiseSet collapsed(held, {.collapse = true}, diagnostics);
    EXPECT_TRUE(test::set_bytes(collapsed) == test::set_bytes(workload));
    ++merges;
  }
  EXPECT_GT(merges, 20U);
}

}  // namespace
