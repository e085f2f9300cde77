// SPDX-License-Identifier: MIT
#include "passes/lower/lower.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "passes/lower/export.h"
#include "passes/provenance.h"
#include "passes/verify/verify.h"
#include "unit/passes/algorithms.h"
#include "unit/passes/lowered.h"

namespace convert {
namespace {

using test::in;
using test::lower;
using test::make_algorithm;
using test::out;
using test::ring;
using test::Tb;
using test::tmp;
using enum StepType;

// One line per node: "ID NAME <- NODE NODE …"; the data dependencies follow the arrow.
std::string graph_text(const Trace& t) {
  std::string text;
  for (const Node& n : t.nodes.nodes) {
    text += std::to_string(n.id) + " " + std::string(t.nodes.name(n)) + " <-";
    for (const NodeId p : t.nodes.data_deps(n)) text += " " + std::to_string(p);
    text += "\n";
  }
  return text;
}

std::int64_t int_of_node(const Trace& t, std::size_t node, Name name) {
  const IntValue v = int_value(t.nodes.attributes(t.nodes.nodes[node]), name);
  return v ? v.value : -999;
}

TEST(Lower, EachStepTypeBecomesItsNodes) {
  const std::vector<std::vector<Tb>> gpus{{Tb{1,
                                              1,
                                              3,
                                              {{send, in, 0, in, 0},
                                               {recv, in, 0, in, 0},
                                               {rcs, in, 0, in, 0},
                                               {rrs, in, 0, in, 0},
                                               {rrc, in, 0, in, 0},
                                               {rrcs, in, 0, in, 0},
                                               {cpy, in, 0, tmp, 0},
                                               {re, tmp, 0, in, 0}}}},
                                          {}};
  const std::vector<Trace> traces = lower(make_algorithm(Collective::custom, 1, true, 1, 0, 1, gpus));
  EXPECT_EQ(graph_text(traces[0]),
            "0 COMM_SEND_NODE_tb0_step0 <-\n"
            "1 COMM_RECV_NODE_tb0_step1 <- 0\n"
            "2 COMM_RECV_NODE_tb0_step2 <- 1\n"
            "3 COMM_SEND_NODE_tb0_step2 <- 2\n"
            "4 COMM_RECV_NODE_tb0_step3 <- 3\n"
            "5 COMP_NODE_tb0_step3 <- 4\n"
            "6 COMM_SEND_NODE_tb0_step3 <- 5\n"
            "7 COMM_RECV_NODE_tb0_step4 <- 6\n"
            "8 COMP_NODE_tb0_step4 <- 7\n"
            "9 COMM_RECV_NODE_tb0_step5 <- 8\n"
            "10 COMP_NODE_tb0_step5 <- 9\n"
            "11 COMM_SEND_NODE_tb0_step5 <- 10\n"
            "12 COMP_NODE_tb0_step6 <- 11\n"
            "13 COMP_NODE_tb0_step7 <- 12\n");
  EXPECT_EQ(graph_text(traces[1]), "0 COMP_NODE_idle <-\n");
}

TEST(Lower, NopsAndEffectiveTargetsBecomeEdges) {
  // The second threadblock waits for step 0 of the first (published only at step 1) through a nop, and for the
  // third.
  const std::vector<std::vector<Tb>> gpus{
      {Tb{-1, -1, 0, {{cpy, in, 0, tmp, 0}, {cpy, in, 0, tmp, 1, 1, -1, -1, true}}},
       Tb{-1, -1, 0, {{cpy, in, 0, tmp, 2}, {nop, in, -1, out, -1, 0, 0, 0}, {cpy, tmp, 0, tmp, 3, 1, 2, 0}}},
       Tb{-1, -1, 0, {{cpy, in, 0, tmp, 4, 1, -1, -1, true}}}}};
  const Trace t = lower(make_algorithm(Collective::custom, 1, false, 1, 0, 5, gpus))[0];
  EXPECT_EQ(graph_text(t),
            "0 COMP_NODE_tb0_step0 <-\n1 COMP_NODE_tb0_step1 <- 0\n2 COMP_NODE_tb1_step0 <-\n3 COMP_NODE_tb1_step2 "
            "<- 2 1 4\n4 COMP_NODE_tb2_step0 <-\n");
  const auto attrs = t.nodes.attributes(t.nodes.nodes[3]);
  EXPECT_EQ(t.nodes.list(*find(attrs, attr::nop_depids))[0], 0U);
  EXPECT_EQ(t.nodes.list(*find(attrs, attr::nop_steps))[0], 0U);
  EXPECT_EQ(int_of_node(t, 3, attr::local_time_step), 2);
  EXPECT_EQ(int_of_node(t, 3, attr::depid), 2);
}

TEST(Lower, SizesAreRoundedDownAlikeOnBothEnds) {
  const std::vector<std::vector<Tb>> gpus{{Tb{1, -1, 0, {{send, in, 1, in, 1, 2}}}},
                                          {Tb{-1, 0, 0, {{rrc, in, 1, in, 1, 2}}}}};
  const Algorithm a = make_algorithm(Collective::all_reduce, 3, true, 3, 0, 0, gpus);
  Diagnostics diagnostics;
  const Lowering lowering(a, 100, diagnostics);
  ASSERT_EQ(diagnostics.warnings(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message,
            "size=100 is not a multiple of the 3 chunks; messages are rounded down, and up to 1 byte is not moved");
  const std::vector<Trace> traces = lower(a, 100);
  EXPECT_EQ(int_of_node(traces[0], 0, attr::comm_size), 66);
  EXPECT_EQ(int_of_node(traces[1], 0, attr::comm_size), 66);
  EXPECT_EQ(int_of_node(traces[1], 1, attr::tensor_size), 198);
  EXPECT_EQ(int_of_node(traces[0], 0, attr::msg_chunk_cnt), 2);
  EXPECT_EQ(int_of_node(traces[0], 0, attr::total_chunk_cnt), 3);
  EXPECT_THROW(Lowering(a, 2, diagnostics), Error);
  EXPECT_EQ(int_of_node(lower(a)[0], 0, attr::comm_size), -999);
}

TEST(Lower, ConsumersAttributesComeFirstWithTheKindsThatSimulatorsRead) {
  const Trace t = lower(ring(2), 1024)[0];
  const auto attrs = t.nodes.attributes(t.nodes.nodes[0]);
  const std::vector<std::pair<Name, Kind>> first{
      {attr::is_cpu_op, Kind::bool_val}, {attr::comm_type, Kind::int64_val}, {attr::comm_src, Kind::int32_val},
      {attr::comm_dst, Kind::int32_val}, {attr::comm_tag, Kind::int32_val},  {attr::comm_size, Kind::int64_val}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(attrs[i].name.view(), first[i].first.view());
    EXPECT_EQ(attrs[i].kind, first[i].second);
  }
  EXPECT_EQ(int_of_node(t, 0, attr::comm_size), 512);
}

TEST(Lower, CopiesAreNodesUnlessTheBuffersAlias) {
  std::vector<std::vector<Tb>> gpus{
      {Tb{-1, 1, 0, {{recv, out, 1, out, 1}}}, Tb{1, -1, 0, {{send, in, 0, out, 0}}}},
      {Tb{-1, 0, 0, {{recv, out, 0, out, 0}}}, Tb{0, -1, 0, {{send, in, 0, out, 1}}}}};
  Algorithm a = make_algorithm(Collective::all_gather, 2, false, 1, 2, 0, gpus);
  a.gpus[0].copies = {{0, 0}};
  a.gpus[1].copies = {{0, 1}};
  EXPECT_EQ(graph_text(lower(a)[0]),
            "0 COMP_NODE_copy0 <-\n1 COMM_RECV_NODE_tb0_step0 <- 0\n2 COMM_SEND_NODE_tb1_step0 <- 0\n");
  Diagnostics diagnostics;
  VerifyOptions options;
  options.dataflow = true;
  verify(make_step_graph(a), options, diagnostics);
  const std::vector<Trace> traces = lower(a);
  verify(make_step_graph(traces, diagnostics), options, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  a.inplace = true;
  EXPECT_EQ(graph_text(lower(a)[0]), "0 COMM_RECV_NODE_tb0_step0 <-\n1 COMM_SEND_NODE_tb1_step0 <-\n");
}

TEST(Raise, GivesTheSameProgramBack) {
  Algorithm a = ring(4);
  a.attributes = {{"name", "test"}, {"redop", "sum"}};
  a.gpus[2].other = {{"comment", "x"}};
  const std::vector<Trace> traces = lower(a, 4096);
  EXPECT_EQ(provenance_of(traces[0]), Provenance::full);
  const Algorithm b = raise_algorithm(traces);
  EXPECT_EQ(b.name, "test");
  EXPECT_EQ(b.attributes, (OtherAttributes{{"redop", "sum"}}));
  EXPECT_EQ(b.gpus[2].other, a.gpus[2].other);
  EXPECT_EQ(b.protocol, a.protocol);
  ASSERT_EQ(b.steps.size(), a.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(b.steps[i].type, a.steps[i].type);
    EXPECT_EQ(b.steps[i].src_off, a.steps[i].src_off);
    EXPECT_EQ(b.steps[i].depid, a.steps[i].depid);
  }
  Diagnostics diagnostics;
  const Lowering lowering(b, std::nullopt, diagnostics);
  for (const Trace& t : traces) EXPECT_TRUE(same_graph(lowering, t));
}

TEST(Export, AnEditedTraceIsScheduledAnewWithAWarning) {
  std::vector<Trace> traces = lower(ring(3));
  NodeTable& t = traces[1].nodes;
  t.nodes.back().data_deps = {static_cast<std::uint32_t>(t.deps.size()),
                              2};  // its last receive waits for its first send too
  t.deps.push_back(t.nodes.back().id - 1);
  t.deps.push_back(0);
  Diagnostics diagnostics;
  const Algorithm a = export_algorithm(traces, diagnostics);
  ASSERT_EQ(diagnostics.warnings(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message,
            "nodes and their threadblock attributes disagree; the steps are assigned to new threadblocks");
  Diagnostics proof;
  VerifyOptions options;
  options.dataflow = true;
  verify(make_step_graph(a), options, proof);
  EXPECT_EQ(proof.errors(), 0U);
}

TEST(Export, WhatCannotBeScheduledIsRefused) {
  std::vector<Trace> traces = lower(ring(3));
  traces[1].nodes.nodes[1].data_deps.count = 0;  // its first receive no longer waits for its send
  Diagnostics diagnostics;
  const std::string error = test::error_message([&] { (void)export_algorithm(traces, diagnostics); });
  EXPECT_NE(error.find("send to the same rank with the same tag in no defined order"), std::string::npos) << error;
}

// Steps that no runtime accepts are not exported, even if the traces are consistent.
TEST(Export, WhatNoRuntimeTakesIsRefused) {
  const auto exported = [](const Algorithm& a, const auto& edit) {
    std::vector<Trace> traces = lower(a);
    for (Trace& t : traces) edit(t);
    Diagnostics diagnostics;
    return test::error_message([&] { (void)export_algorithm(traces, diagnostics); });
  };
  const auto nothing = [](const Trace&) {};
  const auto set_list = [](Name name, std::uint64_t value) {
    return [=](Trace& t) {
      AttrTable& table = t.metadata.table;
      for (const Attr& a : table.attrs) {
        if (a.name == name) table.numbers[a.bits] = value;
      }
    };
  };
  EXPECT_EQ(exported(ring(3), nothing), "");
  EXPECT_EQ(exported(ring(3), set_list(msccl::tb_chan, 40)),
            "threadblock 0 of msccl.tb_* has an invalid peer or channel");
  EXPECT_EQ(exported(ring(3), set_list(msccl::tb_send, 3)),
            "threadblock 0 of msccl.tb_* has an invalid peer or channel");
  Algorithm wide = make_algorithm(Collective::custom, 100, true, 100, 0, 0,
                                  {{Tb{1, -1, 0, {{send, in, 0, in, 0}}}}, {Tb{-1, 0, 0, {{recv, in, 0, in, 0}}}}});
  for (Step& s : wide.steps) s.cnt = 100;
  EXPECT_NE(exported(wide, nothing).find("moves 100 chunks; 1…71 are allowed"), std::string::npos)
      << exported(wide, nothing);
}

TEST(Provenance, HeadersMustBeKnownAndAgree) {
  const auto with_proto = [](const char* proto, Rank rank) {
    std::vector<Trace> traces = lower(ring(3));
    AttrTable& table = traces[rank].metadata.table;
    std::erase_if(table.attrs, [](const Attr& a) { return a.name == msccl::proto; });
    table.add_string(msccl::proto, proto);
    Diagnostics diagnostics;
    return test::error_message([&] { (void)make_step_graph(traces, diagnostics); });
  };
  EXPECT_EQ(with_proto("Fast", 0), "msccl.proto 'Fast' is not a protocol");
  const std::string own(name(ring(3).protocol));
  EXPECT_EQ(with_proto(own.c_str(), 2), "");
  EXPECT_EQ(with_proto(own == "LL" ? "Simple" : "LL", 2),
            "the algorithm in the metadata (msccl.*) differs from rank 0");
}

TEST(Export, TracesWithoutProvenanceAreRefused) {
  std::vector<Trace> traces(1);
  traces[0].name = "plain.0.et";
  traces[0].nodes.add_node(0, NodeType::comm_send, "send");
  traces[0].nodes.end_node();
  Diagnostics diagnostics;
  const Error e = test::thrown_error([&] { (void)export_algorithm(traces, diagnostics); });
  EXPECT_STREQ(
      e.what(),
      "the trace carries no chunk provenance (the chunks of each message), so it cannot be exported to MSCCL-IR");
  EXPECT_EQ(e.where().file, "plain.0.et");
}

TEST(Schedule, SplitsFusedStepsWhoseConnectionsCannotShareAThreadblock) {
  // Rank 1 forwards rank 0's chunk to rank 2 (fused), and rank 3's as well, over the same connection to rank 2.
  const std::vector<std::vector<Tb>> gpus{
      {Tb{1, -1, 0, {{send, in, 0, tmp, 0}}}},
      {Tb{2, 0, 0, {{rcs, in, 0, tmp, 0}}}, Tb{2, 3, 1, {{rrs, in, 0, tmp, 1}}}},
      {Tb{-1, 1, 0, {{recv, in, 0, tmp, 0}}}, Tb{-1, 1, 1, {{recv, in, 0, tmp, 1}}}},
      {Tb{1, -1, 1, {{send, in, 0, tmp, 1}}}}};
  std::vector<Trace> traces = lower(make_algorithm(Collective::custom, 1, true, 1, 0, 2, gpus));
  // One connection to rank 2: both messages with tag 0, the second after the first.
  for (Rank r : {1U, 2U}) {
    NodeTable& t = traces[r].nodes;
    for (Node& n : t.nodes) {
      for (std::uint32_t i = n.attrs.begin; i < n.attrs.begin + n.attrs.count; ++i) {
        Attr& a = t.attrs[i];
        const bool to_2 = (r == 1 && n.type == NodeType::comm_send) || r == 2;
        if (a.name == attr::comm_tag && to_2) a.bits = 0;
      }
    }
    if (r == 1) {  // the second step (node 2) waits for the first (exit: node 1)
      t.nodes[2].data_deps = {static_cast<std::uint32_t>(t.deps.size()), 1};
      t.deps.push_back(1);
    } else {
      t.nodes[1].data_deps = {static_cast<std::uint32_t>(t.deps.size()), 1};
      t.deps.push_back(0);
    }
  }
  Diagnostics diagnostics;
  const Algorithm a = export_algorithm(traces, diagnostics);
  Diagnostics proof;
  check_structure(a, proof);
  verify(make_step_graph(a), {}, proof);
  EXPECT_EQ(proof.errors(), 0U) << (proof.all().empty() ? "" : proof.all()[0].message);
  std::size_t fused = 0;
  for (const Step& s : a.steps) fused += s.type == rcs || s.type == rrs ? 1 : 0;
  EXPECT_EQ(fused, 1U);
  EXPECT_EQ(a.steps.size(), 7U);  // the rrs was split
  EXPECT_EQ(a.gpus[0].s_chunks, 2);
  EXPECT_EQ(a.gpus[1].s_chunks, 3) << "its sum waits in scratch";
}

TEST(ProgramFromTraces, AnUnorderedPairOfMessagesIsRefused) {
  const std::vector<std::vector<Tb>> gpus{{Tb{1, -1, 0, {{send, in, 0, in, 0}, {send, in, 1, in, 1}}}},
                                          {Tb{-1, 0, 0, {{recv, in, 0, in, 0}, {recv, in, 1, in, 1}}}}};
  std::vector<Trace> traces = lower(make_algorithm(Collective::custom, 2, true, 2, 0, 0, gpus));
  traces[0].nodes.nodes[1].data_deps.count = 0;
  Diagnostics diagnostics;
  (void)make_step_graph(traces, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message,
            "rank 0 node 0 (s) and rank 0 node 1 (s) send to the same rank with the same tag in no defined order; "
            "give them different tags");
}

}  // namespace
}  // namespace convert
