// SPDX-License-Identifier: MIT
// Rule attributes.
#include <gtest/gtest.h>

#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

// The findings without their location, which is the first node, and without the rule's name.
Lines attribute_findings(TraceBuilder& b) {
  Lines out;
  for (std::string line : findings(b, "attributes")) {
    const std::string end = " [attributes]";
    EXPECT_TRUE(line.ends_with(end)) << line;
    line.resize(line.size() - end.size());
    out.push_back(line.substr(line.find(": ") + 2));
  }
  return out;
}

TEST(Attributes, WellFormedNodesAreClean) {
  TraceBuilder b(2);
  b.comp(0).set(attr::is_cpu_op, 1, Kind::bool_val).set(attr::num_ops, 100).set(attr::tensor_size, 0);
  b.send(1, 3, 0, 4096).set(attr::comm_src, 2, Kind::int32_val);
  b.recv(2, 3, 0, 4096).set(attr::comm_dst, 2, Kind::uint32_val);
  b.node(3, NodeType::comm_coll).set(attr::comm_type, 0).set(attr::comm_size, 64, Kind::uint64_val);
  b.node(4, NodeType::comm_coll).set(attr::comm_type, 9);
  b.node(5, NodeType::mem_load).set(attr::tensor_size, 8).set(attr::tensor_loc, 2, Kind::uint32_val);
  b.node(6, NodeType::metadata).node(7, NodeType::invalid);
  EXPECT_EQ(findings(b, "attributes"), Lines{});
}

TEST(Attributes, FindingNamesThePlace) {
  TraceBuilder b;
  b.comp(0).node(7, NodeType::comm_coll).set(attr::comm_size, 1);
  EXPECT_EQ(findings(b, "attributes"), Lines{"t.0.et:@0x10: error: node 7: required attribute comm_type of "
                                             "COMM_COLL_NODE is missing [attributes]"});
}

TEST(Attributes, MissingOnes) {
  TraceBuilder b;
  b.node(1, NodeType::comm_send).node(2, NodeType::comm_recv).node(3, NodeType::comm_coll);
  b.node(4, NodeType::mem_store);
  EXPECT_EQ(attribute_findings(b), (Lines{
                                       "error: node 1: required attribute comm_dst of COMM_SEND_NODE is missing",
                                       "error: node 1: required attribute comm_tag of COMM_SEND_NODE is missing",
                                       "error: node 1: required attribute comm_size of COMM_SEND_NODE is missing",
                                       "error: node 2: required attribute comm_src of COMM_RECV_NODE is missing",
                                       "error: node 2: required attribute comm_tag of COMM_RECV_NODE is missing",
                                       "error: node 2: required attribute comm_size of COMM_RECV_NODE is missing",
                                       "error: node 3: required attribute comm_type of COMM_COLL_NODE is missing",
                                       "error: node 3: required attribute comm_size of COMM_COLL_NODE is missing",
                                       "error: node 4: required attribute tensor_size of MEM_STORE_NODE is missing",
                                   }));
}

TEST(Attributes, AlgorithmsMayCountInChunks) {
  TraceBuilder b;
  b.send(1, 1, 0, -1).set(attr::msg_chunk_cnt, 2).set(attr::total_chunk_cnt, 8);
  EXPECT_EQ(findings(b, "attributes"), Lines{});
  b.trace().metadata.table.add_string(attr::collective, "allreduce");
  b.send(2, 1, 0, -1);
  b.send(3, 1, 0, -1).set(attr::msg_chunk_cnt, 2);
  b.send(4, 1, 0, -1).set(attr::msg_chunk_cnt, -1).set(attr::total_chunk_cnt, -1);
  b.send(5, 1, 0, -1).set(attr::msg_chunk_cnt, 1).set(attr::total_chunk_cnt, 0);
  b.send(6, 1, 0, 512).set(attr::msg_chunk_cnt, -1).set(attr::total_chunk_cnt, -1);
  const std::string neither = ": neither comm_size nor both msg_chunk_cnt and total_chunk_cnt are given";
  EXPECT_EQ(attribute_findings(b),
            (Lines{"error: node 2" + neither, "error: node 3" + neither, "error: node 4" + neither,
                   "error: node 5: attribute total_chunk_cnt is 0"}));
}

TEST(Attributes, WrongKinds) {
  TraceBuilder b;
  b.send(1, 1, 0, -1);
  b.table().add_double(attr::comm_size, 4.0);
  b.comp(2).set(attr::is_cpu_op, 1);
  b.comp(3);
  b.table().add_string(attr::is_cpu_op, "true");
  b.table().add_string(attr::involved_dim, "x");
  b.comp(4).set(attr::pg_name, 0);
  EXPECT_EQ(attribute_findings(b),
            (Lines{"error: node 1: attribute comm_size is of kind double_val, expected an integer",
                   "warning: node 2: attribute is_cpu_op is of kind int64_val, expected bool_val",
                   "error: node 3: attribute is_cpu_op is of kind string_val, expected bool_val",
                   "error: node 3: attribute involved_dim is of kind string_val, expected bool_list",
                   "error: node 4: attribute pg_name is of kind int64_val, expected string_val"}));
}

TEST(Attributes, ImpossibleValues) {
  TraceBuilder b;
  b.send(1, 1, 0, 8).set(attr::comm_size, 8);
  b.comp(2).set(attr::num_ops, -4).set(attr::tensor_size, -1, Kind::uint64_val).set(attr::is_cpu_op, 7);
  b.node(3, static_cast<NodeType>(12));
  b.node(4, NodeType::comm_coll).set(attr::comm_type, 10).set(attr::comm_size, 8);
  b.send(5, 5'000'000'000, 0, 8);
  b.recv(6, -1, 0, 8).set(attr::msg_chunk_cnt, -2);
  b.node(7, NodeType::mem_load).set(attr::tensor_size, 8).set(attr::tensor_loc, 3);
  EXPECT_EQ(attribute_findings(b),
            (Lines{"error: node 2: attribute is_cpu_op is 7, expected true or false",
                   "error: node 2: attribute num_ops is -4, which is negative",
                   "error: node 2: attribute tensor_size is 18446744073709551615, which is more than 2^63-1",
                   "error: node 3: unknown node type 12",
                   "error: node 4: attribute comm_type is 10, which is not a known collective",
                   "error: node 5: attribute comm_dst is 5000000000, which is not a rank",
                   "error: node 6: attribute comm_src is -1, which is not a rank",
                   "error: node 6: attribute msg_chunk_cnt is -2, which is negative",
                   "error: node 7: attribute tensor_loc is 3, expected 0 (unspecified), 1 (local) or 2 (remote)"}));
}

TEST(Attributes, OwnRankMustAgree) {
  TraceBuilder b(2);
  b.send(7, 1, 0, 8).set(attr::comm_src, 3);
  b.recv(8, 1, 0, 8).set(attr::comm_dst, 0);
  EXPECT_EQ(attribute_findings(b), (Lines{"error: node 7: comm_src is 3, but the trace is of rank 2",
                                          "error: node 8: comm_dst is 0, but the trace is of rank 2"}));
}

TEST(Attributes, EmptyMessagesAreOnlyWarnedOf) {
  TraceBuilder b;
  b.send(7, 1, 0, 0);
  EXPECT_EQ(attribute_findings(b), Lines{"warning: node 7: comm_size is 0, which ASTRA-sim cannot run"});
}

TEST(Attributes, SplitsAreSizes) {
  TraceBuilder b;
  const auto all_to_all = [&](NodeId id, std::int64_t bytes, Kind kind, const std::vector<std::int64_t>& parts) {
    b.collective(id, Collective::all_to_all, bytes);
    b.table().add_ints(attr::send_splits, kind, parts);
  };
  all_to_all(1, 30, Kind::int64_list, {10, 20});
  all_to_all(2, 30, Kind::int64_list, {10, -20});
  all_to_all(3, 30, Kind::int64_list, {INT64_MAX, 1});
  all_to_all(4, 30, Kind::double_list, {10, 20});
  all_to_all(5, 30, Kind::int64_list, {10, 30});
  EXPECT_EQ(attribute_findings(b),
            (Lines{"error: node 2: attribute send_splits has negative sizes, or sizes that add up to 2^63 or more",
                   "error: node 3: attribute send_splits has negative sizes, or sizes that add up to 2^63 or more",
                   "error: node 4: attribute send_splits is of kind double_list, expected int64_list",
                   "warning: node 5: send_splits add up to 40, but comm_size is 30"}));
}

TEST(Attributes, NamesMustBeUtf8) {
  TraceBuilder b;
  b.table().add_node(1, NodeType::comp, "\xff");
  b.table().end_node();
  b.table().add_node(2, NodeType::comp, "größe");
  b.table().add_int(Name("\xc3("), Kind::int64_val, 1);
  b.table().end_node();
  EXPECT_EQ(attribute_findings(b), (Lines{"error: node 1: its name is not valid UTF-8",
                                          "error: node 2: the name of an attribute is not valid UTF-8"}));
}

TEST(Attributes, AllTextMustBeUtf8) {
  TraceBuilder b;
  NodeTable& t = b.comp(1).table();
  const std::vector<std::string> tags = {"fine", "größe", "\xed\xa0\x80"};
  t.add_string(attr::pg_name, "0\xff");
  t.add_strings(Name("tags"), tags);
  t.add_string(Name("note"), "größe");
  const Text raw = t.add_text("\xff\xfe");
  t.attrs.push_back({.name = Name("raw"), .kind = Kind::bytes_val, .size = raw.size, .bits = raw.offset});
  t.extras.push_back({.doc_string = t.add_text("\x80"), .unknown = raw, .list_unknown = {}});
  t.attrs.back().extra = static_cast<std::uint32_t>(t.extras.size());
  t.io.push_back(
      {.values = t.add_text("[1]"), .shapes = t.add_text("\xc0\x80"), .types = t.add_text("\xf5"), .unknown = raw});
  t.nodes.back().outputs = static_cast<std::uint32_t>(t.io.size());
  EXPECT_EQ(attribute_findings(b), (Lines{"error: node 1: outputs.shapes is not valid UTF-8",
                                          "error: node 1: outputs.types is not valid UTF-8",
                                          "error: node 1: attribute pg_name is not valid UTF-8",
                                          "error: node 1: item 2 of attribute tags is not valid UTF-8",
                                          "error: node 1: doc_string of attribute raw is not valid UTF-8"}));
}

TEST(Attributes, TextOfTheMetadataMustBeUtf8) {
  TraceBuilder b;
  b.comp(0);
  const std::vector<std::string> lines = {"et-link \xff"};
  b.trace().metadata.version = "0.0.\xff";
  b.trace().metadata.table.add_strings(attr::history, lines);
  b.trace().metadata.table.add_int(Name("\xff"), Kind::int64_val, 1);
  EXPECT_EQ(findings(b, "attributes"),
            (Lines{"t.0.et: error: metadata: its version is not valid UTF-8 [attributes]",
                   "t.0.et: error: metadata: item 0 of attribute history is not valid UTF-8 [attributes]",
                   "t.0.et: error: metadata: the name of an attribute is not valid UTF-8 [attributes]"}));
}

TEST(Attributes, OneAttributeTwice) {
  TraceBuilder b;
  b.comp(1).set(attr::num_ops, 5).set(Name("mine"), 1).set(attr::num_ops, 6).set(attr::num_ops, 7);
  b.comp(2).set(attr::num_ops, 5).set(attr::num_ops, 5, Kind::uint64_val);
  b.comp(3).table().add_string(Name("note"), "a");
  b.table().add_string(Name("note"), "b");
  b.comp(4).table().add_ints(Name("list"), Kind::int64_list, std::vector<std::int64_t>{1, 2});
  b.table().add_ints(Name("list"), Kind::int64_list, std::vector<std::int64_t>{1, 2});
  b.comp(5).table().add_ints(Name("list"), Kind::int64_list, std::vector<std::int64_t>{1, 2});
  b.table().add_ints(Name("list"), Kind::int64_list, std::vector<std::int64_t>{1, 3});
  b.comp(6).set(Name("mine"), 1);
  EXPECT_EQ(attribute_findings(b),
            (Lines{"error: node 1: attribute num_ops occurs twice, with different values: 5 and 6",
                   "error: node 3: attribute note occurs twice, with different values",
                   "error: node 5: attribute list occurs twice, with different values"}));
}

TEST(Attributes, Metadata) {
  TraceBuilder b;
  b.comp(0);
  b.trace().metadata.version.clear();
  EXPECT_EQ(findings(b, "attributes"), Lines{});
  b.trace().metadata.version = "9.9";
  b.trace().metadata.table.add_int(attr::collective, Kind::int64_val, 1);
  EXPECT_EQ(findings(b, "attributes"),
            (Lines{"t.0.et: warning: metadata: unknown schema version '9.9'; it is read as 0.0.4 [attributes]",
                   "t.0.et: error: metadata: attribute collective is of kind int64_val, expected string_val "
                   "[attributes]"}));
}

TEST(Attributes, SomeDimensionTakesPart) {
  TraceBuilder b;
  const std::vector<std::int64_t> none = {0, 0};
  const std::vector<std::int64_t> one = {0, 1};
  b.collective(1, Collective::all_reduce, 8).table().add_ints(attr::involved_dim, Kind::bool_list, none);
  b.collective(2, Collective::all_reduce, 8).table().add_ints(attr::involved_dim, Kind::bool_list, one);
  b.collective(3, Collective::all_reduce, 8).table().add_ints(attr::involved_dim, Kind::bool_list, {});
  EXPECT_EQ(findings(b, "attributes"), Lines{"t.0.et:@0x0: error: node 1: attribute involved_dim is false for "
                                             "every dimension; a collective requires at least one [attributes]"});
}

}  // namespace
}  // namespace convert
