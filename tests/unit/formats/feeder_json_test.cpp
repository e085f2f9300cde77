// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "common/replaced.h"
#include "formats/format.h"
#include "io/input.h"

namespace convert {
namespace {

const std::string feeder_graph = R"({"workload_graph": [
  {"Id": 3, "Name": "send \"x\"", "NodeType": 5, "is_cpu_op": false, "runtime": 7, "data_deps": [1, 2],
   "tensor_size": 64, "comm_type": 0, "comm_priority": 2, "comm_size": 64, "comm_src": 0, "comm_dst": 1, "comm_tag": 9},
  {"NodeType": 4, "Id": 1, "Name": "gemm", "is_cpu_op": true, "runtime": 12, "data_deps": []},
  {"Id": 2, "NodeType": 4, "data_deps": []}
]}
)";

struct FeederRead {
  Trace trace;
  std::string messages;  // warnings, or the error
};

FeederRead read_feeder(const std::string& text, const std::string& name = "w.json") {
  FeederRead out;
  Diagnostics diagnostics;
  try {
    const auto input = memory_input(name, text);
    const auto reader = find_format("feeder-json").read({*input, std::nullopt, {}, diagnostics});
    EXPECT_TRUE(reader->next_rank(out.trace));
    EXPECT_TRUE(reader->next_nodes(out.trace, 1));
    Trace rest = out.trace;
    EXPECT_FALSE(reader->next_nodes(rest, 1));
    EXPECT_FALSE(reader->next_rank(rest));
    for (const Diagnostic& d : diagnostics.all()) out.messages += d.message + '\n';
  } catch (const Error& e) {
    out.messages = std::to_string(e.where().line) + ": " + e.what();
  }
  return out;
}

TEST(FeederJson, BecomesATraceWithTheSameAttributes) {
  const FeederRead r = read_feeder(feeder_graph);
  EXPECT_EQ(r.messages, "");
  const NodeTable& t = r.trace.nodes;
  ASSERT_EQ(t.nodes.size(), 3U);
  EXPECT_EQ(t.nodes[0].id, 3U);
  EXPECT_EQ(t.name(t.nodes[0]), "send \"x\"");
  EXPECT_EQ(t.nodes[0].type, NodeType::comm_send);
  EXPECT_EQ(t.nodes[0].duration_us, 7U);
  EXPECT_EQ(t.data_deps(t.nodes[0])[1], 2U);
  const auto attrs = t.attributes(t.nodes[0]);
  EXPECT_EQ(int_value(attrs, attr::comm_tag).value, 9);
  EXPECT_EQ(int_value(attrs, attr::comm_dst).value, 1);
  EXPECT_EQ(int_value(attrs, attr::comm_size).value, 64);
  EXPECT_EQ(int_value(attrs, attr::is_cpu_op).value, 0);
  EXPECT_EQ(int_value(t.attributes(t.nodes[1]), attr::is_cpu_op).value, 1);
  EXPECT_TRUE(t.attributes(t.nodes[2]).empty());
  EXPECT_EQ(t.positions[1], 4U);
}

TEST(FeederJson, TheNameOfTheFileTellsTheRank) {
  EXPECT_EQ(read_feeder(feeder_graph).trace.rank, 0U);
  EXPECT_EQ(read_feeder(feeder_graph, "dir/w.11.json").trace.rank, 11U);
  EXPECT_EQ(read_feeder(feeder_graph, "dir/w.11.json.gz").trace.rank, 11U);
}

TEST(FeederJson, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"Id\": 1, ", "")).messages, "4: a node without 'Id'");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"NodeType\": 4, ", "")).messages,
            "4: a node without 'NodeType'");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, ", \"data_deps\": []", "")).messages,
            "4: a node without 'data_deps'");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"Id\": 1", "\"Id\": -1")).messages.substr(0, 2), "4:");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"comm_tag\": 9", "\"comm_tag\": 4000000000"))
                .messages.substr(0, 2),
            "3:");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"Name\": \"gemm\"", "\"Name\": 5")).messages,
            "4: 'Name' must be a string");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "\"Id\": 1", "\"Id\": 1, \"Id\": 2")).messages,
            "4: the key 'Id' is given twice");
  EXPECT_EQ(read_feeder(test::replaced(feeder_graph, "workload_graph", "workload")).messages,
            "0: 'workload_graph' is missing");
}

TEST(FeederJson, KeysThatMeanNothingAreToldAndLeftOut) {
  const FeederRead r = read_feeder(
      test::replaced(feeder_graph, "\"Name\": \"gemm\"", "\"Nmae\": \"gemm\", \"tensor\": {\"a\": [1]}"));
  EXPECT_EQ(r.messages,
            "key 'Nmae' is unknown to Chakra's feeder and is omitted (1 time)\nkey 'tensor' is unknown to Chakra's "
            "feeder and is omitted (1 time)\n");
  EXPECT_EQ(r.trace.nodes.nodes.size(), 3U);
}

TEST(FeederJson, IsKnownByItsContent) {
  const Format& f = find_format("feeder-json");
  EXPECT_TRUE(f.sniff(feeder_graph));
  EXPECT_TRUE(f.sniff("\n{ \"version\": 1, \"workload_graph\": ["));
  EXPECT_FALSE(f.sniff("{\"nodes\": []}"));
  EXPECT_FALSE(f.sniff("[]"));
  EXPECT_FALSE(find_format("json").sniff(feeder_graph));
}

}  // namespace
}  // namespace convert
