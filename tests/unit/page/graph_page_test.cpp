// SPDX-License-Identifier: MIT
#include "page/graph/graph_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace convert {
namespace {

Trace trace_of(Rank rank) {
  Trace t;
  t.rank = rank;
  t.name = "x." + std::to_string(rank) + ".et";
  return t;
}

void add_message(Trace& t, NodeId id, NodeType type, int peer, std::vector<NodeId> deps = {}) {
  t.nodes.add_node(id, type, type == NodeType::comm_send ? "send" : "recv");
  for (const NodeId d : deps) t.nodes.add_data_dep(d);
  t.nodes.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, 5);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, 4096);
  t.nodes.end_node();
}

GraphPage::Data data_of(const std::vector<Trace>& traces) {
  GraphPage page;
  for (const Trace& t : traces) page.add(t);
  return std::move(page).take("title", "operand");
}

template <typename T>
std::vector<T> column(const GraphPage::Data& data, std::string_view name) {
  const auto at = std::ranges::find(data.columns, name, &Column::name);
  if (at == data.columns.end()) return {};
  return std::get<std::vector<T>>(at->values);
}
bool has(const GraphPage::Data& data, std::string_view text) { return data.head.find(text) != std::string::npos; }

using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;

TEST(GraphPage, NumbersNodesThroughAllRanks) {
  std::vector<Trace> traces = {trace_of(3), trace_of(7)};
  add_message(traces[0], 0, NodeType::comm_send, 7);
  add_message(traces[0], 9, NodeType::comm_recv, 7, {0});
  add_message(traces[1], 0, NodeType::comm_send, 3);
  add_message(traces[1], 1, NodeType::comm_recv, 3, {0});
  const GraphPage::Data data = data_of(traces);
  EXPECT_TRUE(has(data, R"("ranks":[[3,2],[7,2]])"));
  EXPECT_TRUE(has(data, R"("lanes":[[0,"send"],[0,"receive"],[1,"send"],[1,"receive"]])"));
  EXPECT_TRUE(has(data, R"("names":["send","recv"])"));
  EXPECT_EQ(column<double>(data, "id"), (Reals{0, 9, 0, 1}));
  EXPECT_EQ(column<std::int32_t>(data, "lane"), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(column<std::int32_t>(data, "peer"), (Ints{7, 7, 3, 3}));
  EXPECT_EQ(column<double>(data, "bytes"), (Reals{4096, 4096, 4096, 4096}));
  EXPECT_EQ(column<std::int32_t>(data, "parent"), (Ints{0, 2}));
  EXPECT_EQ(column<std::int32_t>(data, "data_count"), (Ints{0, 1, 0, 1}));
  EXPECT_EQ(column<std::int32_t>(data, "message_from"), (Ints{0, 2}));
  EXPECT_EQ(column<std::int32_t>(data, "message_to"), (Ints{3, 1}));
}

TEST(GraphPage, KeepsWhatIsBroken) {
  std::vector<Trace> traces = {trace_of(0)};
  NodeTable& t = traces[0].nodes;
  t.add_node(1, NodeType::comp, "a");
  t.add_data_dep(44);
  t.end_node();
  t.add_node(NodeId{1} << 60U, NodeType::comp, "b");
  t.add_ctrl_dep(NodeId{1} << 60U);
  t.end_node();
  const GraphPage::Data data = data_of(traces);
  EXPECT_EQ(column<std::int32_t>(data, "missing_node"), (Ints{0, 1}));
  EXPECT_EQ(column<double>(data, "missing_id"), (Reals{44, -1}));
  EXPECT_EQ(column<double>(data, "id"), (Reals{1, -1}));
  EXPECT_TRUE(has(data, R"("large_ids":[[1,"1152921504606846976"]])"));
}

TEST(GraphPage, NamesCallersAlsoWhereTheyAreDataDependenciesToo) {
  std::vector<Trace> traces = {trace_of(0)};
  NodeTable& t = traces[0].nodes;
  t.add_node(10, NodeType::comp, "outer");
  t.end_node();
  for (NodeId id = 11; id < 14; ++id) {
    t.add_node(id, NodeType::comp, "inner");
    t.add_data_dep(id - 1);
    t.add_ctrl_dep(10);
    t.end_node();
  }
  const GraphPage::Data data = data_of(traces);
  EXPECT_EQ(column<std::int32_t>(data, "caller"), (Ints{-1, 0, 0, 0}));
  EXPECT_EQ(column<std::int32_t>(data, "control_count"), (Ints{0, 0, 1, 1}));
}

TEST(GraphPage, TimesAreNanosecondsFromTheFirstBegin) {
  std::vector<Trace> traces = {trace_of(0)};
  NodeTable& t = traces[0].nodes;
  t.add_node(0, NodeType::comp, "exact");
  t.add_int(attr::start_nanos, Kind::uint64_val, 1'700'000'000'000'000'123);
  t.add_int(attr::duration_nanos, Kind::uint64_val, 1500);
  t.end_node();
  t.add_node(1, NodeType::comp, "microseconds");
  t.nodes.back().start_us = 1'700'000'000'000'001;
  t.nodes.back().duration_us = 2;
  t.end_node();
  t.add_node(2, NodeType::comp, "unknown");
  t.end_node();
  const GraphPage::Data data = data_of(traces);
  EXPECT_TRUE(has(data, R"("time":{"base_ns":"1700000000000000123"})"));
  EXPECT_EQ(column<double>(data, "begin"), (Reals{0, 877, -1}));
  EXPECT_EQ(column<double>(data, "duration"), (Reals{1500, 2000, -1}));
  traces[0].nodes.clear();
  EXPECT_FALSE(has(data_of(traces), R"("time")"));
}

TEST(GraphPage, AttributesAreColumnsOfTheNodesThatHaveThem) {
  std::vector<Trace> traces = {trace_of(0)};
  NodeTable& t = traces[0].nodes;
  t.add_node(0, NodeType::comp, "a");
  t.add_int(attr::num_ops, Kind::int64_val, 7);
  t.add_string(attr::pg_name, "tp");
  t.end_node();
  t.add_node(1, NodeType::comp, "b");
  t.add_bool(attr::is_cpu_op, true);
  t.add_int(attr::num_ops, Kind::int64_val, std::int64_t{1} << 60U);
  t.end_node();
  const GraphPage::Data data = data_of(traces);
  EXPECT_TRUE(has(data, R"("attributes":[{"name":"num_ops","texts":["7","1152921504606846976"]})"
                        R"(,{"name":"pg_name","texts":["tp"]},{"name":"is_cpu_op","texts":["true"]}])"))
      << data.head;
  EXPECT_TRUE(has(data, R"("attribute_lists":[[0,1],[2,0]])"));
  EXPECT_EQ(column<double>(data, "attribute 0"), (Reals{0, 1}));
  EXPECT_EQ(column<double>(data, "attribute 1"), (Reals{0}));
}

TEST(GraphPage, AttributesOfVeryMuchTextAreLeftOutAndSayHowMuch) {
  std::vector<Trace> traces = {trace_of(0)};
  NodeTable& t = traces[0].nodes;
  for (NodeId id = 0; id < 3; ++id) {
    t.add_node(id, NodeType::comp, "a");
    t.add_string(attr::op_schema, std::string(40'000, static_cast<char>('a' + id)));
    t.end_node();
  }
  const GraphPage::Data data = data_of(traces);
  EXPECT_TRUE(has(data, R"("attributes":[{"name":"op_schema","left_out":80006}])")) << data.head.substr(0, 300);
  EXPECT_TRUE(column<double>(data, "attribute 0").empty());
}

TEST(GraphPage, RefusesMoreNodesThanABrowserShows) {
  Trace large = trace_of(1);
  large.nodes.nodes.resize(GraphPage::most_nodes + 1);
  GraphPage page;
  try {
    page.add(large);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("2000001 nodes"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("--around"), std::string::npos);
  }
}

}  // namespace
}  // namespace convert
