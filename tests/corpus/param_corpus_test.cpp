// SPDX-License-Identifier: MIT
// Communication traces of PARAM: the metrics of each rank, and the same entries if the set is written again.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <map>
#include <string>

#include "corpus.h"
#include "sets/sink.h"
#include "sets/source.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

// Returns the text of a value with the keys of objects in order.
std::string sorted_json(simdjson::dom::element value) {
  std::string text;
  if (value.is_array()) {
    for (const auto item : simdjson::dom::array(value)) text += sorted_json(item) + ",";
    return "[" + text + "]";
  }
  if (!value.is_object()) return simdjson::minify(value);
  std::map<std::string, std::string> members;
  for (const auto& [key, member] : simdjson::dom::object(value)) members[std::string(key)] = sorted_json(member);
  for (const auto& [key, member] : members) text += key + ":" + member + ",";
  return "{" + text + "}";
}

std::string entries_of(const fs::path& file) {
  simdjson::dom::parser parser;
  return sorted_json(parser.load(file.string()));
}

TEST(ParamCorpus, TwoRanks) {
  REQUIRE_CORPUS();
  const fs::path folder = corpus::root() / "profilers" / "param";
  Diagnostics diagnostics;
  TraceSource source({.operands = {folder.string()}}, diagnostics);
  std::size_t ranks = 0;
  source.for_each_trace(1, [&](Trace&& trace) {
    SCOPED_TRACE(ranks);
    EXPECT_EQ(trace.rank, ranks++);
    const NodeTable& t = trace.nodes;
    ASSERT_EQ(t.nodes.size(), 5U);
    const auto value = [&](std::size_t i, Name name) { return int_value(t.attributes(t.nodes[i]), name).value; };
    EXPECT_EQ(t.nodes[0].type, NodeType::comp);
    EXPECT_EQ(value(0, attr::num_ops), 2 * 2'147'483'648);
    EXPECT_EQ(value(1, attr::comm_type), 0);
    EXPECT_EQ(value(1, attr::comm_size), 1'048'576);
    EXPECT_EQ(value(1, attr::start_nanos), 1000);
    EXPECT_EQ(value(2, attr::comm_type), 6);
    EXPECT_EQ(value(2, attr::comm_size), 2048);
    EXPECT_EQ(t.nodes[3].type, trace.rank == 0 ? NodeType::comm_send : NodeType::comm_recv);
    EXPECT_EQ(value(3, attr::comm_size), 8192);
    EXPECT_EQ(value(4, attr::comm_type), 9);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(t.data_deps(t.nodes[i]).back(), i - 1);
  });
  EXPECT_EQ(ranks, 2U);
  const auto groups = source.groups();
  ASSERT_TRUE(groups);
  EXPECT_NE(groups->json.find("\"0\":[0,1]"), std::string::npos) << groups->json;

  // Through a set of traces, and directly.
  const fs::path scratch = fs::path(::testing::TempDir()) / "etkit_param_corpus";
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  const auto write = [&](const fs::path& from, const std::string& format, const fs::path& to) {
    TraceSource set({.operands = {from.string()}}, diagnostics);
    const SinkOptions options{.to = format, .path = to.string(), .history = "a tool", .jobs = 2};
    write_set(set, plan_sink(set, options), options, diagnostics);
  };
  write(folder, "chakra", scratch / "w");
  write(scratch / "w", "param", scratch / "again");
  write(folder, "param", scratch / "direct");
  for (const std::string file : {"0.json", "1.json"}) {
    EXPECT_EQ(entries_of(scratch / "again" / file), entries_of(folder / file));
    EXPECT_EQ(entries_of(scratch / "direct" / file), entries_of(folder / file));
  }
  EXPECT_EQ(diagnostics.all().size(), 0U);
}

}  // namespace
