// SPDX-License-Identifier: MIT
// Reading communication traces of PARAM: dependencies, groups, sizes, and rejected files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/replaced.h"
#include "core/world_size.h"
#include "formats/param/import.h"
#include "formats/param/operations.h"
#include "io/input.h"

namespace convert {
namespace {

struct ParamRead {
  ParamRank rank;
  std::string messages;  // warnings, or the error
};

ParamRead read_param(const std::string& entries, Rank rank = 0, std::optional<Rank> ranks = std::nullopt) {
  ParamRead out;
  Diagnostics diagnostics;
  const std::string text = entries.starts_with('[') ? entries : "[\n" + entries + "\n]";
  try {
    const auto input = memory_input("0.json", text);
    out.rank = import_param(read_param_file(*input, diagnostics), rank, ranks, diagnostics);
    for (const Diagnostic& d : diagnostics.all())
      out.messages += std::to_string(d.where.line) + ": " + d.message + '\n';
  } catch (const Error& e) {
    out.messages = std::to_string(e.where().line) + ": " + e.what();
  }
  return out;
}

// "all_reduce<0,1 wait<": names with their dependencies.
std::string order_of(const ParamRead& read) {
  std::string text;
  const NodeTable& t = read.rank.trace.nodes;
  for (const Node& n : t.nodes) {
    text += (text.empty() ? "" : " ") + std::string(t.name(n)) + '<';
    std::string parents;
    for (const NodeId p : t.data_deps(n)) parents += (parents.empty() ? "" : ",") + std::to_string(p);
    text += parents;
  }
  return text;
}

std::int64_t value(const ParamRead& read, std::size_t node, Name name) {
  const NodeTable& t = read.rank.trace.nodes;
  const IntValue v = int_value(t.attributes(t.nodes.at(node)), name);
  return v ? v.value : -1;
}

std::string reduce(const std::string& more) {
  return R"({"comms": "all_reduce", "in_msg_size": 4, "out_msg_size": 4, "dtype": "float")" + more + "}";
}
std::string send_to(int peer, const std::string& more, const std::string& name = "isend") {
  return R"({"comms": ")" + name +
         R"(", "in_msg_size": 4, "out_msg_size": 4, "dtype": "int8", "src_rank": 0, "dst_rank": )" +
         std::to_string(peer) + more + "}";
}
std::string wait_for(const std::string& request) { return R"({"comms": "wait", "req": )" + request + "}"; }
std::string init(const std::string& id, const std::string& ranks) {
  return R"({"comms": "init", "pg_id": )" + id + R"(, "global_ranks": )" + ranks + "}";
}

TEST(Param, AnEntryWaitsForTheOneBeforeIt) {
  const ParamRead r = read_param(reduce("") + ",\n" + reduce(R"(, "req": 3)") + ",\n" + R"({"comms": "barrier"})");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(order_of(r), "all_reduce< all_reduce<0 barrier<1");
  EXPECT_EQ(value(r, 1, param_names().req), 3);
  EXPECT_EQ(value(r, 2, attr::comm_type), 9);
  EXPECT_EQ(value(r, 2, attr::comm_size), 0);
  EXPECT_EQ(r.rank.trace.nodes.positions.at(1), 3U);
}

TEST(Param, WhatAWaitNamesHoldsUpOnlyWhatFollowsTheWait) {
  const ParamRead r =
      read_param(reduce(R"(, "req": 1)") + "," + reduce(R"(, "req": "two")") + "," + reduce(R"(, "req": 3)") + "," +
                 wait_for("\"two\"") + "," + reduce("") + "," + wait_for("1") + "," + reduce(""));
  EXPECT_EQ(r.messages, "");
  // The third has no wait and blocks all others; the fourth waits for the second, the fifth also for the first.
  EXPECT_EQ(order_of(r), "all_reduce< all_reduce< all_reduce< all_reduce<2,1 all_reduce<3,0");
  EXPECT_EQ(value(r, 0, param_names().waited), 1);
  EXPECT_EQ(value(r, 2, param_names().waited), -1);
}

TEST(Param, RequestsAreNamedAgainAndAgain) {
  const ParamRead r = read_param(reduce(R"(, "req": 1)") + "," + wait_for("1") + "," + reduce(R"(, "req": "1")") +
                                 "," + reduce("") + "," + wait_for("1") + "," + wait_for("1") + "," + reduce(""));
  EXPECT_EQ(r.messages, "2: 1 wait for an operation that is not running: omitted\n");
  EXPECT_EQ(order_of(r), "all_reduce< all_reduce<0 all_reduce<0 all_reduce<2,1");
}

TEST(Param, WaitsWithoutRequestsNameOperationsInTheirOrder) {
  const std::string wait = R"({"comms": "wait"})";
  const ParamRead r = read_param(reduce("") + "," + reduce("") + "," + wait + "," + reduce("") + "," + wait + "," +
                                 wait + "," + wait);
  EXPECT_EQ(r.messages, "2: 1 wait for an operation that is not running: omitted\n");
  EXPECT_EQ(order_of(r), "all_reduce< all_reduce< all_reduce<0");
  // If other operations have requests, it is the last one with a request.
  const ParamRead last = read_param(reduce(R"(, "req": 5)") + "," + reduce("") + "," + wait + "," + reduce(""));
  EXPECT_EQ(order_of(last), "all_reduce< all_reduce< all_reduce<1,0");
}

TEST(Param, PostedMessagesHoldUpNothingButTheirWaits) {
  const ParamRead r = read_param(send_to(1, R"(, "req": 1)") + "," + send_to(2, R"(, "req": 2)") + "," +
                                 send_to(1, R"(, "use_batch": false)", "send") + "," + wait_for("2") + "," +
                                 R"({"comms": "barrier"})");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(order_of(r), "isend< isend< send< barrier<2,1");
  EXPECT_EQ(value(r, 0, param_names().waited), 0);
  EXPECT_EQ(value(r, 1, attr::comm_dst), 2);
  EXPECT_EQ(value(r, 1, attr::comm_size), 4);
}

TEST(Param, ABatchEndsAsAWhole) {
  const std::string two = send_to(1, R"(, "use_batch": true)") + "," + send_to(2, R"(, "use_batch": true)");
  const ParamRead blocking = read_param(two + R"(,{"comms": "batch_isend_irecv"},{"comms": "barrier"})");
  EXPECT_EQ(order_of(blocking), "isend< isend< barrier<0,1");
  const ParamRead posted = read_param(two + R"(,{"comms": "batch_isend_irecv", "req": 9},{"comms": "barrier"},)" +
                                      wait_for("9") + R"(,{"comms": "barrier"})");
  EXPECT_EQ(posted.messages, "");
  EXPECT_EQ(order_of(posted), "isend< isend< barrier< barrier<2,0,1");
  EXPECT_EQ(value(posted, 1, param_names().batch_req), 9);
  EXPECT_EQ(value(posted, 0, param_names().batch_req), -1);
}

TEST(Param, ManyOperationsAtOnceMeetInOneNode) {
  std::string entries;
  for (int i = 0; i < 200; ++i) entries += send_to(1, ", \"req\": " + std::to_string(i)) + ",";
  for (int i = 0; i < 200; ++i) entries += wait_for(std::to_string(i)) + ",";
  for (int i = 0; i < 200; ++i) entries += send_to(1, ", \"req\": " + std::to_string(i)) + ",";
  const ParamRead r = read_param(entries + R"({"comms": "barrier"})");
  const NodeTable& t = r.rank.trace.nodes;
  ASSERT_EQ(t.nodes.size(), 402U);
  EXPECT_EQ(t.name(t.nodes[200]), "wait");
  EXPECT_EQ(t.nodes[200].data_deps.count, 200U);
  EXPECT_EQ(t.deps.size(), 200U + 201U);
}

TEST(Param, SizesAreBytesOfTheOperation) {
  const ParamRead r = read_param(
      R"({"comms": "all_gather", "in_msg_size": 8, "out_msg_size": 24, "dtype": "bfloat16", "world_size": 3},
         {"comms": "reduce_scatter", "in_msg_size": 9, "out_msg_size": 4, "dtype": "double", "world_size": 3},
         {"comms": "scatter", "in_msg_size": 0, "out_msg_size": 5, "dtype": "half", "world_size": 3, "root": 2},
         {"comms": "gather", "in_msg_size": 5, "out_msg_size": 15, "dtype": "bool", "world_size": 3, "root": 1},
         {"comms": "all_to_allv", "in_msg_size": 6, "out_msg_size": 3, "dtype": "long", "world_size": 3,
          "in_split": [1, 2, 3], "out_split": [0, 3, 0]})");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(value(r, 0, attr::comm_size), 16);
  EXPECT_EQ(value(r, 0, attr::comm_bytes_out), -1);  // follows from the input
  EXPECT_EQ(value(r, 1, attr::comm_size), 72);
  EXPECT_EQ(value(r, 1, attr::comm_bytes_out), 32);
  EXPECT_EQ(value(r, 2, attr::comm_size), 10);
  EXPECT_EQ(value(r, 2, attr::comm_bytes_out), -1);
  EXPECT_EQ(value(r, 2, attr::comm_src), 2);
  EXPECT_EQ(value(r, 3, attr::comm_size), 5);
  EXPECT_EQ(value(r, 3, attr::comm_dst), 1);
  EXPECT_EQ(value(r, 4, attr::comm_type), 6);
  const NodeTable& t = r.rank.trace.nodes;
  const Attr* const splits = find(t.attributes(t.nodes[4]), attr::send_splits);
  ASSERT_NE(splits, nullptr);
  EXPECT_EQ(std::vector(t.list(*splits).begin(), t.list(*splits).end()), (std::vector<std::uint64_t>{8, 16, 24}));
  EXPECT_EQ(world_size(r.rank.trace.metadata), 3U);
}

TEST(Param, ComputationsHaveOperationsAndBytes) {
  const ParamRead r = read_param(
      R"({"compute": "GEMM", "mm0_dim0": 2, "mm0_dim1": 3, "mm1_dim0": 3, "mm1_dim1": 5, "count": 7, "dtype": "half"},
         {"compute": "emb_lookup", "emb_dim": 4, "num_embs": 100, "batch_size": 3, "num_emb_tables": 2, "bag_size": 5},
         {"compute": "emb_lookup"})");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(order_of(r), "gemm< emb_lookup<0 emb_lookup<1");
  EXPECT_EQ(value(r, 0, attr::num_ops), 2 * 7 * 2 * 3 * 5);
  EXPECT_EQ(value(r, 0, attr::tensor_size), 7 * 2 * (6 + 15 + 10));
  EXPECT_EQ(value(r, 1, attr::num_ops), 4 * 3 * 2 * 5);
  EXPECT_EQ(value(r, 1, attr::tensor_size), 4 * 4 * 3 * 2 * 5);
  EXPECT_EQ(value(r, 2, attr::num_ops), 0);
}

TEST(Param, NamesComeInAnyCase) {
  const std::vector<std::pair<std::string, std::string>> names = {{"AllReduce", "all_reduce"},
                                                                  {"ALL_GATHER_BASE", "all_gather_base"},
                                                                  {"alltoallbase", "all_to_allv"},
                                                                  {"AllToAll", "all_to_all"},
                                                                  {"alltoallsingle", "all_to_all_single"},
                                                                  {"recvanysource", "recv"},
                                                                  {"reduceScatterBase", "reduce_scatter_base"},
                                                                  {"Batch-ISend-IRecv", "batch_isend_irecv"}};
  for (const auto& [name, meant] : names) {
    const ParamOperation* const found = find_param_operation(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->name, meant);
  }
  EXPECT_EQ(find_param_operation("allreduces"), nullptr);
  EXPECT_EQ(param_type("torch.BFloat16").name, "bfloat16");
  EXPECT_EQ(param_type("uint64").name, "long");
  EXPECT_EQ(param_type("float8_e5m2").name, "byte");
  EXPECT_EQ(param_type("string").bytes, 0);
}

TEST(Param, GroupsAreThoseOfTheRank) {
  const std::string text = init("0", "[0, 1, 2, 3]") + "," + init("1", "[0, 2]") + "," + init("2", "[1]") + "," +
                           reduce(R"(, "pg_id": 1)") + ",\n" + reduce(R"(, "pg_id": 2)") + "," +
                           reduce(R"(, "pg_id": 0, "world_size": 3)");
  const ParamRead r = read_param(text);
  EXPECT_EQ(r.messages,
            "3: 1 entry of groups and messages of other ranks: omitted, as in PARAM's replay\n3: 1 entry has a "
            "world_size other than the size of the group; the size of the group is used\n");
  ASSERT_EQ(r.rank.groups.size(), 2U);
  EXPECT_EQ(r.rank.groups[1].name, "1");
  EXPECT_EQ(r.rank.groups[1].ranks, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(value(r, 0, attr::group_size), 2);
  EXPECT_EQ(value(r, 1, attr::group_size), 4);
  EXPECT_EQ(world_size(r.rank.trace.metadata), 4U);
}

// Group 0 of a trace is all ranks; group 0 of PARAM may be a subset.
TEST(Param, AGroup0OfSomeRanksGetsAnotherNumber) {
  const auto name_of = [](const std::string& text, Rank rank, std::optional<Rank> ranks) {
    const ParamRead r = read_param(text + "," + reduce(R"(, "pg_id": 0)"), rank, ranks);
    const NodeTable& t = r.rank.trace.nodes;
    return t.nodes.empty() ? "" : std::string(*string_value(t, t.attributes(t.nodes[0]), attr::pg_name));
  };
  const std::string halves = init("0", "[0, 1]") + "," + init("4", "[2, 3]");
  EXPECT_EQ(name_of(halves, 0, std::nullopt), "5");
  EXPECT_EQ(name_of(init("0", "[0, 1]"), 1, std::nullopt), "0");
  EXPECT_EQ(name_of(init("0", "[0, 1]"), 1, 4), "1");
  EXPECT_EQ(name_of(init("0", "[1, 0]"), 1, 2), "1");  // a ring in another order
  EXPECT_EQ(name_of(halves, 2, 4), "");
}

TEST(Param, RefusesWithTheLine) {
  const auto error = [](const std::string& entries) { return read_param(entries).messages; };
  const std::string ok = reduce("");
  EXPECT_EQ(error(ok + ",\n{\"markers\": []}"),
            "3: an entry must have 'comms' or 'compute'; this entry has neither");
  EXPECT_EQ(error(ok + ",\n{\"comms\": \"all_redcue\"}"),
            "3: unknown operation 'all_redcue'; did you mean all_reduce?");
  EXPECT_EQ(error(ok + ",\n{\"comms\": null}"), "3: 'comms' must be a string");
  EXPECT_EQ(error(R"({"compute": "conv"})"), "2: unknown computation 'conv'; known: gemm, emb_lookup");
  EXPECT_EQ(error(test::replaced(ok, "\"in_msg_size\": 4, ", "")), "2: a communication without 'in_msg_size'");
  EXPECT_EQ(error(test::replaced(ok, "_size\": 4", "_size\": -4")), "2: 'in_msg_size' must be at least 0");
  EXPECT_EQ(error(test::replaced(ok, "_size\": 4", "_size\": 1.5")), "2: 'in_msg_size' must be an integer");
  EXPECT_EQ(error(test::replaced(ok, "_size\": 4", "_size\": 9000000000000000000")),
            "2: 'in_msg_size' exceeds 2^63-1 bytes");
  EXPECT_EQ(error(test::replaced(ok, "float", "qint8")), "2: unknown element type 'qint8'");
  EXPECT_EQ(error(reduce(R"(, "dtype": "half")")), "2: 'dtype' is given twice");
  EXPECT_EQ(error(reduce(R"(, "pg_id": 7)")), "2: no init creates process group 7");
  EXPECT_EQ(error(reduce(R"(, "pg_id": "x")")), "2: 'pg_id' must be an integer");
  EXPECT_EQ(error(reduce(R"(, "markers": "grad")")), "2: 'markers' must be a list of strings");
  EXPECT_EQ(error(reduce(R"(, "markers": [["grad"]])")), "2: 'markers' must be a list of strings");
  EXPECT_EQ(error(reduce(R"(, "world_size": 0)")), "2: 'world_size' must be at least 1");
  EXPECT_EQ(error(reduce(R"(, "startTime_ns": "soon")")), "2: 'startTime_ns' must be an integer");
  EXPECT_EQ(error(R"({"comms": "init", "pg_id": 1})"), "2: an init without 'global_ranks'");
  EXPECT_EQ(error(init("1", "[0, 1, 0]")), "2: 'global_ranks' has rank 0 twice");
  EXPECT_EQ(error(init("1", "[]")), "2: 'global_ranks' has no rank");
  EXPECT_EQ(error(init("1", "[4294967296]")), "2: 'global_ranks' has a rank that is too large");
  EXPECT_EQ(error(send_to(0, "")), "2: a message of rank 0 to itself");
  EXPECT_EQ(error(init("1", "[0, 1]") + "," + send_to(2, R"(, "pg_id": 1)")),
            "2: rank 2 is not in process group 1");
  EXPECT_EQ(error(R"({"comms": "send", "in_msg_size": 4, "out_msg_size": 4, "dtype": "int8", "src_rank": 0})"),
            "2: a message without 'dst_rank'");
  EXPECT_EQ(error(R"({"compute": "gemm", "mm_dim": 4})"), "2: a gemm without 'dtype'");
  EXPECT_EQ(error(R"({"compute": "gemm", "dtype": "half"})"), "2: a gemm without 'mm_dim' and without 'mm0_dim0'");
  EXPECT_EQ(error(R"({"compute": "gemm", "mm_dim": 10000000, "dtype": "half"})"),
            "2: the number of operations exceeds 2^63-1");
  EXPECT_EQ(
      error(R"({"compute": "gemm", "dtype": "half", "mm0_dim0": 2, "mm0_dim1": 3, "mm1_dim0": 4, "mm1_dim1": 5})"),
      "2: 'mm1_dim0' must equal 'mm0_dim1' for a matrix product");
}

TEST(Param, RefusesSplitsThatDoNotAddUp) {
  const auto error = [](const std::string& more) {
    return read_param(
               R"({"comms": "all_to_allv", "in_msg_size": 4, "out_msg_size": 4, "dtype": "int", "world_size": 2)" +
               more + "}")
        .messages;
  };
  EXPECT_EQ(error(R"(, "in_split": [1, 3], "out_split": [4, 0])"), "");
  EXPECT_EQ(error(R"(, "in_split": [], "out_split": null)"), "");
  EXPECT_EQ(error(R"(, "in_split": [1, 3])"), "2: an all_to_allv without 'out_split'");
  EXPECT_EQ(error(R"(, "in_split": [1, 2], "out_split": [])"), "2: 'in_split' does not add up to 'in_msg_size'");
  EXPECT_EQ(error(R"(, "in_split": [9223372036854775807, 3], "out_split": [])"),
            "2: 'in_split' exceeds 2^63-1 bytes");
  EXPECT_EQ(error(R"(, "in_split": [1, 1, 2], "out_split": [])"), "2: an all_to_allv of 2 ranks with 3 splits");
}

TEST(Param, OtherJsonIsNone) {
  EXPECT_EQ(read_param("[]").messages, "");
  EXPECT_EQ(read_param("[] []").messages, "1: more text after the document");
  const auto of = [](const std::string& text) {
    Diagnostics diagnostics;
    const auto input = memory_input("x", text);
    try {
      (void)read_param_file(*input, diagnostics);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(of(R"({"schema": "1.1.0", "nodes": []})"),
            "a PARAM communications trace must be an array of entries, not an object with 'schema'");
  EXPECT_EQ(of("{}"), "a PARAM communications trace must be an array of entries");
  EXPECT_EQ(of("[3]"), "'{' is expected");
}

TEST(Param, UnknownKeysAreTold) {
  EXPECT_EQ(read_param(reduce(R"(, "seq": 1)") + "," + reduce(R"(, "seq": 2, "algo": [{}])")).messages,
            "0: 'algo' is unknown to PARAM's replay and omitted (1 time)\n0: 'seq' is unknown to PARAM's replay "
            "and omitted (2 times)\n");
}

}  // namespace
}  // namespace convert
