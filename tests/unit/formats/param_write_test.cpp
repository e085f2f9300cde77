// SPDX-License-Identifier: MIT
// Writing communication traces of PARAM: order, waits, sizes, groups, and omitted nodes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/collective.h"
#include "core/world_size.h"
#include "formats/format.h"
#include "formats/param/import.h"
#include "formats/set_writer.h"
#include "io/input.h"

namespace convert {
namespace {

// A rank that is built node by node.
struct ParamNodes {
  Trace trace;

  explicit ParamNodes(Rank rank = 0) {
    trace.rank = rank;
    trace.name = "r" + std::to_string(rank);
  }
  NodeId node(NodeType type, const std::vector<NodeId>& parents) {
    NodeTable& t = trace.nodes;
    if (!t.nodes.empty()) t.end_node();
    t.add_node(t.nodes.size() + 10, type, "n");
    for (const NodeId p : parents) t.add_data_dep(p);
    return t.nodes.back().id;
  }
  NodeId collective(Collective type, std::int64_t bytes, const std::vector<NodeId>& parents) {
    const NodeId id = node(NodeType::comm_coll, parents);
    set(attr::comm_type, static_cast<std::int64_t>(type));
    set(attr::comm_size, bytes);
    return id;
  }
  NodeId message(NodeType type, Rank peer, const std::vector<NodeId>& parents, std::int64_t tag = 0) {
    const NodeId id = node(type, parents);
    set(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, peer);
    set(attr::comm_tag, tag);
    set(attr::comm_size, 4);
    return id;
  }
  NodeId compute(std::int64_t operations, const std::vector<NodeId>& parents) {
    const NodeId id = node(NodeType::comp, parents);
    set(attr::num_ops, operations);
    return id;
  }
  ParamNodes& set(Name name, std::int64_t value) {
    trace.nodes.add_int(name, Kind::int64_val, value);
    return *this;
  }
  ParamNodes& set(Name name, std::string_view value) {
    trace.nodes.add_string(name, value);
    return *this;
  }
  const Trace& done() {
    if (!trace.nodes.nodes.empty()) trace.nodes.end_node();
    return trace;
  }
};

struct ParamWritten {
  std::vector<std::string> texts;  // by rank
  std::string messages;
};

ParamWritten write_all(const std::vector<const Trace*>& ranks, WrittenSetFacts facts,
                       const FormatOptions& options = {}) {
  ParamWritten out;
  Diagnostics diagnostics;
  const auto writer = find_format("param").write_set(options);
  std::vector<std::unique_ptr<RankDraft>> drafts;
  if (facts.ranks == 0) facts.ranks = static_cast<Rank>(ranks.size());
  for (const Trace* trace : ranks) {
    drafts.push_back(writer->draft(*trace, {}));
    writer->write(*drafts.back(), facts, out.texts.emplace_back());
  }
  writer->finish(drafts, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) out.messages += d.message + '\n';
  return out;
}

// "all_reduce 1, wait 1": the operations with their requests.
std::string operations_of(ParamNodes& nodes, const FormatOptions& options = {}) {
  const ParamWritten written = write_all({&nodes.done()}, {.ranks = 4}, options);
  Diagnostics diagnostics;
  const auto input = memory_input("0.json", written.texts[0]);
  const ParamFile file = read_param_file(*input, diagnostics);
  std::string text;
  for (const ParamEntry& e : file.entries) {
    if (!text.empty()) text += ", ";
    text +=
        e.kind == ParamEntry::Kind::gemm ? "gemm " + std::to_string(e.gemm.rows) : std::string(e.operation->name);
    if (e.has_request) text += " " + std::string(file.view(e.request));
  }
  return text;
}

std::string only_entry(ParamNodes& nodes, const WrittenSetFacts& facts = {.ranks = 4}) {
  const std::string text = write_all({&nodes.done()}, facts).texts[0];
  EXPECT_EQ(text.substr(0, 3), "[\n ");
  EXPECT_EQ(text.substr(text.size() - 3), "\n]\n");
  return text.substr(3, text.size() - 6);
}

TEST(ParamWrite, AnOperationRunsByItselfWhereTheNextDependsOnIt) {
  ParamNodes n;
  const NodeId a = n.collective(Collective::all_reduce, 8, {});
  const NodeId b = n.message(NodeType::comm_send, 1, {a});
  n.message(NodeType::comm_recv, 2, {b});
  EXPECT_EQ(operations_of(n), "all_reduce, isend 11, recv, wait 11");
}

TEST(ParamWrite, OthersAreWaitedForBeforeTheFirstEntryThatDependsOnThem) {
  ParamNodes n;
  const NodeId a = n.collective(Collective::all_reduce, 8, {});
  const NodeId b = n.message(NodeType::comm_send, 1, {});
  n.collective(Collective::all_gather, 8, {});
  n.collective(Collective::barrier, 0, {b});
  n.collective(Collective::all_to_all, 8, {a, b});
  // The send's wait is at the end, independent of its dependents.
  EXPECT_EQ(
      operations_of(n),
      "all_reduce 10, isend 11, all_gather_base 12, barrier 13, wait 10, all_to_all, wait 11, wait 12, wait 13");
}

TEST(ParamWrite, NodesThatAreLeftOutAreLookedThrough) {
  ParamNodes n;
  const NodeId a = n.collective(Collective::all_reduce, 8, {});
  const NodeId b = n.collective(Collective::all_reduce, 8, {});
  const NodeId c = n.compute(100, {a});
  const NodeId d = n.node(NodeType::mem_store, {c, b});
  n.collective(Collective::barrier, 0, {d});
  EXPECT_EQ(operations_of(n), "all_reduce 10, all_reduce, wait 10, barrier");
  EXPECT_EQ(write_all({&n.trace}, {}).messages,
            "1 computation: omitted; use compute=gemm to write computations with num_ops\n1 node of memory: "
            "omitted, not supported by PARAM\n2 communications without comm_dtype: written as float32, or as byte "
            "if the size is not a multiple\n");
}

TEST(ParamWrite, ComputationsAreMatrixProductsIfAsked) {
  ParamNodes n;
  const NodeId a = n.collective(Collective::all_reduce, 8, {});
  n.compute(2'000'000, {});
  n.compute(1, {a});
  n.node(NodeType::comp, {});
  n.trace.nodes.nodes.back().duration_us = 5;
  const FormatOptions gemm(std::vector<std::pair<std::string, std::string>>{{"compute", "gemm"}});
  EXPECT_EQ(operations_of(n, gemm), "all_reduce 10, gemm 100, wait 10, gemm 1");
  EXPECT_EQ(write_all({&n.trace}, {}, gemm).messages,
            "1 computation without num_ops: omitted\n1 communication without comm_dtype: written as float32, or as "
            "byte if the size is not a multiple\n");
  EXPECT_THROW((void)find_format("param").write_set(
                   FormatOptions(std::vector<std::pair<std::string, std::string>>{{"compute", "all"}})),
               Error);
}

TEST(ParamWrite, NodesComeByTheirStart) {
  ParamNodes n;
  const NodeId late = n.collective(Collective::all_reduce, 8, {});
  n.set(attr::start_nanos, 500);
  n.collective(Collective::all_gather, 8, {});
  n.set(attr::start_nanos, 100);
  n.collective(Collective::reduce, 8, {late});  // begins when its dependencies do, as far as known
  n.collective(Collective::barrier, 0, {});
  n.set(attr::start_nanos, 300);
  EXPECT_EQ(operations_of(n), "all_gather_base 11, barrier 13, all_reduce, reduce, wait 11, wait 13");
}

// A recording's clock began long before it; in PARAM, times count from the beginning of a replay.
TEST(ParamWrite, StartsCountFromTheFirstOfTheSet) {
  const auto start = [](bool of_replay) {
    ParamNodes n;
    n.collective(Collective::barrier, 0, {});
    n.set(attr::start_nanos, 700);
    if (of_replay) n.trace.metadata.table.add_bool(param_names().replay_times, true);
    return only_entry(n, {.ranks = 4, .first_ns = 500});
  };
  EXPECT_EQ(start(false), R"({"comms":"barrier","startTime_ns":200,"world_size":4})");
  EXPECT_EQ(start(true), R"({"comms":"barrier","startTime_ns":700,"world_size":4})");
}

TEST(ParamWrite, SizesAreElements) {
  const auto sizes = [](Collective type, std::int64_t bytes, std::string_view dtype, std::int64_t out = -1) {
    ParamNodes n;
    n.collective(type, bytes, {});
    if (!dtype.empty()) n.set(attr::comm_dtype, dtype);
    if (out >= 0) n.set(attr::comm_bytes_out, out);
    const std::string text = only_entry(n);
    const std::size_t at = text.find("\"in_msg_size\"");
    return text.substr(at, text.size() - at - 1);
  };
  EXPECT_EQ(sizes(Collective::all_reduce, 64, ""), R"("in_msg_size":16,"out_msg_size":16,"dtype":"float32")");
  EXPECT_EQ(sizes(Collective::all_reduce, 63, ""), R"("in_msg_size":63,"out_msg_size":63,"dtype":"byte")");
  EXPECT_EQ(sizes(Collective::all_gather, 64, "BFloat16"),
            R"("in_msg_size":32,"out_msg_size":128,"dtype":"bfloat16")");
  EXPECT_EQ(sizes(Collective::all_gather, 64, "Int", 80), R"("in_msg_size":16,"out_msg_size":20,"dtype":"int")");
  EXPECT_EQ(sizes(Collective::reduce_scatter, 64, "double"),
            R"("in_msg_size":8,"out_msg_size":2,"dtype":"double")");
  EXPECT_EQ(sizes(Collective::reduce_scatter, 24, "float"), R"("in_msg_size":24,"out_msg_size":6,"dtype":"byte")");
  EXPECT_EQ(sizes(Collective::reduce_scatter_block, 21, "half"),
            R"("in_msg_size":24,"out_msg_size":6,"dtype":"byte")");
  EXPECT_EQ(sizes(Collective::all_to_all, 36, "int"), R"("in_msg_size":36,"out_msg_size":36,"dtype":"byte")");
  EXPECT_EQ(sizes(Collective::scatter, 64, "long"), R"("in_msg_size":32,"out_msg_size":8,"dtype":"long")");
  EXPECT_EQ(sizes(Collective::gather, 64, "long"), R"("in_msg_size":8,"out_msg_size":32,"dtype":"long")");
  EXPECT_EQ(sizes(Collective::all_reduce, 64, "Float8_e4m3fn"),
            R"("in_msg_size":64,"out_msg_size":64,"dtype":"byte")");
  EXPECT_EQ(sizes(Collective::all_reduce, 64, "ComplexDouble"),
            R"("in_msg_size":64,"out_msg_size":64,"dtype":"byte")");
}

TEST(ParamWrite, ChangesOfSizesAndTypesAreCounted) {
  ParamNodes n;
  n.collective(Collective::reduce_scatter, 21, {});
  n.set(attr::comm_dtype, "uint64");
  n.node(static_cast<NodeType>(99), {});
  EXPECT_EQ(
      write_all({&n.done()}, {.ranks = 4}).messages,
      "1 node of other types: omitted\n1 communication with a comm_dtype unknown to PARAM: written as a type of "
      "equal size, or as byte\n1 collective with a size that is not a multiple of its ranks: rounded up\n");
}

TEST(ParamWrite, SplitsAndRoots) {
  ParamNodes n;
  n.collective(Collective::all_to_all, 12, {});
  const std::vector<std::int64_t> send = {4, 8}, recv = {12, 0};
  n.trace.nodes.add_ints(attr::send_splits, Kind::int64_list, send);
  n.trace.nodes.add_ints(attr::recv_splits, Kind::int64_list, recv);
  EXPECT_EQ(only_entry(n, {.ranks = 2}),
            R"({"comms":"all_to_allv","world_size":2,"in_msg_size":3,"out_msg_size":3,"dtype":"float32",)"
            R"("in_split":[1,2],"out_split":[3,0]})");
  EXPECT_THROW((void)write_all({&n.trace}, {.ranks = 3}), Error);
  ParamNodes root;
  root.collective(Collective::broadcast, 4, {});
  root.set(attr::comm_src, 3);
  EXPECT_EQ(only_entry(root), R"({"comms":"broadcast","world_size":4,"in_msg_size":1,"out_msg_size":1,)"
                              R"("dtype":"float32","root":3})");
}

TEST(ParamWrite, EveryRankMakesAllGroups) {
  const auto inits = [](Rank rank, std::string_view group) {
    ParamNodes n(rank);
    n.collective(Collective::barrier, 0, {});
    if (!group.empty()) n.set(attr::pg_name, group);
    return write_all({&n.done()}, {.ranks = 3, .groups = {{7, {2, 0}}, {2, {1}}}}).texts[0];
  };
  const std::string tail = R"(,"req":-1,"markers":["init"]})";
  EXPECT_EQ(inits(0, "7"), R"([
 {"comms":"init","pg_id":2,"global_ranks":[1],"world_size":1)" +
                               tail + R"(,
 {"comms":"init","pg_id":7,"global_ranks":[2,0],"world_size":2)" +
                               tail + R"(,
 {"comms":"barrier","pg_id":7,"world_size":2}
]
)");
  EXPECT_EQ(inits(1, "0"), R"([
 {"comms":"init","pg_id":0,"global_ranks":[0,1,2],"world_size":3)" +
                               tail + R"(,
 {"comms":"init","pg_id":2,"global_ranks":[1],"world_size":1)" +
                               tail + R"(,
 {"comms":"init","pg_id":7,"global_ranks":[0],"world_size":1)" +
                               tail + R"(,
 {"comms":"barrier","pg_id":0,"world_size":3}
]
)");
  EXPECT_THROW((void)inits(0, "2"), Error);  // which lacks the attribute
  EXPECT_THROW((void)inits(0, "3"), Error);  // an unknown group
  EXPECT_THROW((void)inits(0, "tensor"), Error);
  ParamNodes many;
  many.collective(Collective::barrier, 0, {});
  many.set(attr::pg_name, "0");
  EXPECT_THROW((void)write_all({&many.done()}, {.ranks = largest_rank}), Error);  // a claim that takes no memory
  ParamNodes part;
  part.collective(Collective::all_gather, 4, {});
  set_world_size(part.trace.metadata, 8);  // part of a larger set
  EXPECT_NE(only_entry(part).find("\"world_size\":8,\"in_msg_size\":1,\"out_msg_size\":8"), std::string::npos);
}

TEST(ParamWrite, RefusesWhatItCannotSay) {
  const auto error = [](const auto& build) {
    ParamNodes n;
    build(n);
    try {
      (void)write_all({&n.done()}, {.ranks = 4});
    } catch (const Error& e) {
      return std::to_string(e.where().node) + ": " + e.what();
    }
    return std::string();
  };
  EXPECT_EQ(error([](ParamNodes& n) { n.node(NodeType::comm_coll, {}); }),
            "10: has no comm_type that PARAM supports");
  EXPECT_EQ(error([](ParamNodes& n) { n.collective(Collective::all_reduce, -1, {}); }),
            "10: has no comm_size, which PARAM requires; for an algorithm, add size=BYTES");
  EXPECT_EQ(error([](ParamNodes& n) { n.message(NodeType::comm_send, 0, {}); }),
            "10: is a message of a rank to itself, which PARAM does not support");
  EXPECT_EQ(error([](ParamNodes& n) { n.node(NodeType::comm_recv, {}); }), "10: has no comm_src that is a rank");
  EXPECT_EQ(error([](ParamNodes& n) {
              n.compute(1, {12});
              n.compute(1, {10});
              n.compute(1, {11});
            }),
            "10: is part of a dependency cycle, so no order of entries exists");
  EXPECT_EQ(error([](ParamNodes& n) {
              n.collective(Collective::all_reduce, 4, {});
              const std::vector<std::int64_t> dims = {1, 0};
              n.trace.nodes.add_ints(attr::involved_dim, Kind::bool_list, dims);
            }),
            "10: a collective over some dimensions of a network has no process group, which PARAM requires");
}

TEST(ParamWrite, MessagesThatWouldMeetOthersAreTold) {
  const auto messages = [](std::int64_t first, std::int64_t second) {
    ParamNodes a(0), b(1);
    const NodeId one = a.message(NodeType::comm_send, 1, {}, 5);
    a.message(NodeType::comm_send, 1, {one}, 6);
    const NodeId two = b.message(NodeType::comm_recv, 0, {}, first);
    b.message(NodeType::comm_recv, 0, {two}, second);
    return write_all({&a.done(), &b.done()}, {}).messages;
  };
  const std::string types =
      "4 communications without comm_dtype: written as float32, or as byte if the size is not a multiple\n";
  EXPECT_EQ(messages(5, 6), types);
  EXPECT_EQ(messages(6, 5), types +
                                "1 pair of ranks with messages that are received in a different order than sent "
                                "(rank 0 to rank 1): PARAM has no tags and matches them in order\n");
}

// Operations that were read keep their requests, and no other operation gets one of these.
TEST(ParamWrite, RequestsStayApart) {
  ParamNodes n;
  const NodeId a = n.collective(Collective::all_reduce, 4, {});
  const NodeId b = n.collective(Collective::all_reduce, 4, {});
  n.set(param_names().req, 10);
  n.collective(Collective::all_reduce, 4, {});
  n.collective(Collective::barrier, 0, {a, b});
  EXPECT_EQ(operations_of(n), "all_reduce 0, all_reduce 10, all_reduce 12, wait 0, wait 10, barrier, wait 12");
}

// A long chain of nodes that are not written, after many that are, is searched once.
TEST(ParamWrite, LooksThroughEachNodeOnce) {
  ParamNodes n;
  std::vector<NodeId> many;
  for (int i = 0; i < 2000; ++i) many.push_back(n.message(NodeType::comm_recv, 1, {}));
  NodeId last = n.compute(1, many);
  for (int i = 0; i < 20000; ++i) last = n.compute(1, {last, many[static_cast<std::size_t>(i) % many.size()]});
  n.collective(Collective::barrier, 0, {last});
  const std::string text = operations_of(n);
  EXPECT_NE(text.find("wait 10, wait 11, "), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 9), ", barrier");
}

}  // namespace
}  // namespace convert
