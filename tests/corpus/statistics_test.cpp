// SPDX-License-Identifier: MIT
// Counts of et-stats for the small workloads of the corpus, compared with the numbers of the model that made them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <string>

#include "analyze/diff/difference.h"
#include "analyze/sets/set_statistics.h"
#include "corpus.h"
#include "sets/source.h"

namespace convert {
namespace {

std::filesystem::path workloads() { return corpus::root() / "workloads"; }

std::string kind_of(NodeType type) {
  switch (type) {
    case NodeType::comp: return "COMP";
    case NodeType::comm_coll: return "COLL";
    case NodeType::comm_send: return "SEND";
    case NodeType::comm_recv: return "RECV";
    default: return "other";
  }
}

// Calls and bytes by operation: "all_reduce", "send".
std::map<std::string, std::pair<std::int64_t, std::int64_t>> communication(const RankStatistics& r) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sums;
  for (const RankStatistics::Calls& c : r.collectives) {
    auto& [count, bytes] = sums[std::string(name(collective_of(c.op)))];
    count += static_cast<std::int64_t>(c.count);
    bytes += c.bytes.get();
  }
  if (r.sends != 0) sums["send"] = {static_cast<std::int64_t>(r.sends), r.sent_bytes.get()};

  return sums;
}

void compare_stage(const simdjson::dom::element& stage, const RankStatistics& r) {
  EXPECT_EQ(static_cast<std::int64_t>(r.nodes), stage["nodes"].get_int64().value());
  EXPECT_EQ(r.operations.get(), stage["num_ops"].get_int64().value());
  std::map<std::string, std::int64_t> types, expected_types;
  for (std::size_t t = 0; t < RankStatistics::types; ++t) {
    if (r.by_type[t].count != 0)
      types[kind_of(static_cast<NodeType>(t))] += static_cast<std::int64_t>(r.by_type[t].count);
  }
  for (const auto& [kind, count] : stage["by_type"].get_object().value())
    expected_types[std::string(kind)] = count.get_int64().value();
  EXPECT_EQ(types, expected_types);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> expected;
  for (const auto& [what, sums] : stage["comm"].get_object().value()) {
    auto& [count, bytes] = expected[corpus::split(std::string(what), ' ')[0]];
    count += sums.at(0).get_int64().value();
    bytes += sums.at(1).get_int64().value();
  }
  EXPECT_EQ(communication(r), expected);
}

TEST(StatisticsCorpus, CountsOfWorkloadsAreThoseOfTheModel) {
  REQUIRE_CORPUS();
  simdjson::dom::parser parser;
  std::size_t sets = 0, stages = 0;
  for (const auto& [name, figures] : parser.load(workloads() / "sets.json").get_object().value()) {
    SCOPED_TRACE(name);
    Diagnostics diagnostics;
    TraceSource source({.operands = {workloads() / "sets" / (std::string(name) + ".jsonl.gz")}}, diagnostics);
    SetStatistics set({});
    std::map<Rank, RankStatistics> ranks;
    for (const Trace& trace : source.load(1)) {
      const RankWishes wishes{.path = true};
      ranks[trace.rank] = statistics_of(trace, wishes);
      set.add(statistics_of(trace, wishes));
    }
    const auto figure = [&](const char* section, std::string_view key) {
      for (const Figure& f : set.section(section).figures) {
        if (f.key == key) return std::get<std::int64_t>(f.value);
      }
      return std::int64_t{-1};
    };
    EXPECT_EQ(figure("nodes", "total"), figures["nodes"].get_int64().value());
    EXPECT_EQ(figure("nodes", "ranks"), figures["ranks"].get_int64().value());
    EXPECT_EQ(figure("flops", "operations"), figures["num_ops"].get_int64().value());
    EXPECT_EQ(figure("path", "messages"), figure("volume", "messages"));
    for (const std::string& note : set.section("path").notes)
      EXPECT_EQ(note.find("never run, as they wait"), std::string::npos) << note;
    for (const auto& [number, stage] : figures["stages"].get_object().value()) {
      compare_stage(stage, ranks.at(static_cast<Rank>(stage["rank"].get_int64().value())));
      ++stages;
    }
    ++sets;
  }
  EXPECT_EQ(sets, 17U);
  EXPECT_GE(stages, sets);
}

TEST(StatisticsCorpus, EachWorkloadIsTheSameAsItself) {
  REQUIRE_CORPUS();
  std::size_t traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(workloads() / "sets")) {
    if (!entry.path().string().ends_with(".jsonl.gz")) continue;
    Diagnostics diagnostics;
    TraceSource source({.operands = {entry.path()}}, diagnostics);
    for (const Trace& trace : source.load(1)) {
      const Difference d = compare_traces(trace, trace, {});
      EXPECT_TRUE(d.same()) << entry.path() << ": " << d.sentence();
      EXPECT_EQ(d.matched, d.nodes_a);
      ++traces;
    }
  }
  EXPECT_GT(traces, 60U);
}

}  // namespace
}  // namespace convert
