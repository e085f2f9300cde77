// SPDX-License-Identifier: MIT
#include "simulate/program/program.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "common/findings.h"
#include "common/replay_traces.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

// All findings as text, one per line.
std::string replay_findings(const std::vector<Trace>& traces, const std::string& network = ring2,
                            const ReplayOptions& options = {}) {
  Diagnostics d;
  EXPECT_FALSE(test::replay_traces(traces, net(network), options, d));
  return findings_text(d);
}

void chunked(Trace& t, NodeType type, NodeId id, std::int64_t peer, std::int64_t count, std::int64_t total) {
  add_node(t, type, id, {});
  t.nodes.add_int(type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
  t.nodes.add_int(attr::msg_chunk_cnt, Kind::int64_val, count);
  t.nodes.add_int(attr::total_chunk_cnt, Kind::int64_val, total);
  t.nodes.end_node();
}

// One message from rank 0 to rank 1 with `count` chunks of a collective with `total`.
std::vector<Trace> chunked_message(std::int64_t count, std::int64_t total) {
  auto t = ranks(2);
  chunked(t[0], NodeType::comm_send, 0, 1, count, total);
  chunked(t[1], NodeType::comm_recv, 0, 0, count, total);
  return t;
}

// An edge between NPUs from et-split takes the latency and no bandwidth.
TEST(ReplayBuilder, AMessageOfNoBytesTakesTheLatency) {
  auto t = ranks(2);
  send(t[0], 0, 1, 0);
  recv(t[1], 0, 0, 0);
  for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
    ReplayOptions options;
    options.network.model = model;
    Diagnostics d;
    const auto r = test::replay_traces(t, net(ring2), options, d);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->npus[0].bytes_sent, 0);
    EXPECT_EQ(r->total_ps, 10'000);
  }
}

TEST(ReplayBuilder, SizeFillsInForMissingSizes) {
  const auto t = chunked_message(2, 3);
  ReplayOptions options;
  options.size_bytes = 1000;
  Diagnostics d;
  const auto r = test::replay_traces(t, net(ring2), options, d);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->npus[0].bytes_sent, 666);
  const Error no_size = thrown_error([&] { (void)test::replay_traces(t, net(ring2), {}, d); });
  EXPECT_EQ(no_size.kind(), Error::Kind::usage);
  EXPECT_STREQ(no_size.what(),
               "node 0 has chunk counts but no comm_size; set the size of the collective with --size BYTES");
  EXPECT_EQ(no_size.where().file, "t.0.et");
  options.size_bytes = 1;
  EXPECT_EQ(error_message([&] { (void)test::replay_traces(t, net(ring2), options, d); }),
            "--size 1 is less than one byte for each of the 3 chunks");
  options.size_bytes = 0;
  EXPECT_THROW((void)test::replay_traces(t, net(ring2), options, d), Error);
}

TEST(ReplayBuilder, AMessageMayHaveMoreChunksThanTheCollective) {
  const auto t = chunked_message(16, 8);  // through scratch
  ReplayOptions options;
  options.size_bytes = 1000;
  Diagnostics d;
  const auto r = test::replay_traces(t, net(ring2), options, d);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->npus[0].bytes_sent, 2000);
}

TEST(ReplayBuilder, LocatesMissingAndWrongAttributes) {
  auto t = ranks(2);
  add_node(t[0], NodeType::comm_send, 4, {});
  t[0].nodes.end_node();
  t[0].nodes.positions = {0x20};
  EXPECT_EQ(replay_findings(t),
            "t.0.et:@0x20: error: node 4: attribute comm_dst is missing [attributes]\n"
            "t.0.et:@0x20: error: node 4: attribute comm_tag is missing [attributes]\n"
            "t.0.et:@0x20: error: node 4: attribute comm_size is missing [attributes]\n");
  t = ranks(2);
  add_node(t[1], NodeType::comm_recv, 4, {});
  t[1].nodes.add_double(attr::comm_size, 10.0);
  t[1].nodes.add_string(attr::comm_src, "0");
  t[1].nodes.add_int(attr::comm_tag, Kind::uint64_val, -1);
  t[1].nodes.end_node();
  EXPECT_EQ(replay_findings(t),
            "t.1.et: error: node 4: attribute comm_src is of kind string_val, not an integer [attributes]\n"
            "t.1.et: error: node 4: attribute comm_tag exceeds 2^63-1 [attributes]\n"
            "t.1.et: error: node 4: attribute comm_size is of kind double_val, not an integer [attributes]\n");
}

TEST(ReplayBuilder, ChecksPeers) {
  auto t = ranks(2);
  send(t[0], 0, 2, 100);
  EXPECT_EQ(replay_findings(t), "t.0.et: error: node 0: its peer is rank 2, but there are 2 ranks [peers]\n");
  t = ranks(2);
  send(t[0], 0, -1, 100);
  EXPECT_EQ(replay_findings(t), "t.0.et: error: node 0: sends to rank -1, which does not exist [peers]\n");
  t = ranks(2);
  add_node(t[1], NodeType::comm_send, 0, {});
  t[1].nodes.add_int(attr::comm_src, Kind::int32_val, 0);
  t[1].nodes.add_int(attr::comm_dst, Kind::int32_val, 0);
  t[1].nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
  t[1].nodes.add_int(attr::comm_size, Kind::int32_val, 1);
  t[1].nodes.end_node();
  EXPECT_EQ(replay_findings(t),
            "t.1.et: error: node 0: sends from rank 0, but is in the trace of rank 1 [peers]\n");
  t = ranks(2);
  send(t[0], 0, 0, 100);
  EXPECT_EQ(replay_findings(t),
            "t.0.et: error: node 0: a send to itself, which this network does not support [peers]\n");
  t = ranks(2);
  send(t[0], 0, 1, 0);
  ReplayOptions astra;
  astra.astra = true;
  EXPECT_EQ(replay_findings(t, ring2, astra), "t.0.et: error: node 0: a message of zero bytes [attributes]\n");
  t = ranks(2);
  send(t[0], 0, 1, -5);
  EXPECT_EQ(replay_findings(t), "t.0.et: error: node 0: comm_size is negative [attributes]\n");
}

TEST(ReplayBuilder, ChecksTheNumberOfRanks) {
  EXPECT_EQ(replay_findings(ranks(3)),
            "ring:2,bw=1GB/s,lat=10ns: error: the network has 2 NPUs, but there are traces of 3 ranks; use a "
            "network of 3 NPUs [network]\n");
  const std::string where = "switch:8,bw=1GB/s: error: ";
  const auto missing = [&](const std::vector<Trace>& traces) {
    Diagnostics found;
    EXPECT_FALSE(test::replay_traces(traces, net("switch:8,bw=1GB/s"), {}, found));
    return findings_text(found);
  };
  auto seven = ranks(7);
  send(seven[0], 0, 7, 100);  // no finding
  EXPECT_EQ(missing(seven), where +
                                "no trace of rank 7 (t.7.et): the network has 8 NPUs; add it, or use a network of "
                                "7 NPUs [network]\n");
  EXPECT_EQ(missing(ranks(3)), where +
                                   "no traces of ranks 3 to 7 (t.3.et …): the network has 8 NPUs; add them, or use "
                                   "a network of 3 NPUs [network]\n");
  EXPECT_EQ(missing(ranks(1)),
            where + "no traces of ranks 1 to 7 (t.1.et …): the network has 8 NPUs; add them [network]\n");
  auto document = ranks(2);
  document[0].name = document[1].name = "w.1.jsonl";
  EXPECT_EQ(missing(document),
            where + "no traces of ranks 2 to 7: the network has 8 NPUs; use a network of 2 NPUs [network]\n");
  auto gap = ranks(4);
  gap.erase(gap.begin() + 2);
  const Error no_rank_2 = thrown_error([&] { (void)missing(gap); });
  EXPECT_EQ(no_rank_2.where().file, "t.3.et");
  EXPECT_STREQ(no_rank_2.what(),
               "rank 3, but there is no trace of rank 2 (t.2.et): a replay requires all ranks from 0");
  Diagnostics d;
  EXPECT_THROW((void)test::replay_traces({}, net(ring2), {}, d), Error);
  auto t = ranks(2);
  t[0].rank = 1;
  EXPECT_THROW((void)test::replay_traces(t, net(ring2), {}, d), Error);
}

TEST(ReplayBuilder, RefusesWhatItCannotReplay) {
  auto t = ranks(2);
  add_node(t[0], NodeType::comm_coll, 1, {});
  t[0].nodes.end_node();
  add_node(t[0], NodeType::metadata, 2, {});
  t[0].nodes.end_node();
  for (const auto& [rank, id] : {std::pair{0, 3}, {0, 5}, {1, 1}}) {
    add_node(t[static_cast<std::size_t>(rank)], NodeType::mem_store, static_cast<NodeId>(id), {});
    t[static_cast<std::size_t>(rank)].nodes.end_node();
  }
  add_node(t[0], static_cast<NodeType>(99), 4, {});
  t[0].nodes.end_node();
  EXPECT_EQ(
      replay_findings(t),
      "t.0.et: error: node 1: an algorithm cannot contain a collective; for a workload use --issue workload "
      "[replay]\n"
      "t.0.et: error: node 4: node type 99 is unknown [replay]\n"
      "t.0.et: error: node 3: a memory access without a recorded duration requires a memory model; define one with "
      "--memory; there are 2 more such nodes [replay]\n");
  t = ranks(2);
  send(t[0], 0, 1, 100);
  t[0].nodes.add_bool(attr::is_cpu_op, true);
  t[0].nodes.end_node();
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.astra = true;
  EXPECT_EQ(replay_findings(t, ring2, options),
            "t.0.et: error: node 0: communication with is_cpu_op set cannot be replayed [replay]\n");
}

TEST(ReplayBuilder, CommunicationOfTheCpuRunsLikeOther) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  t[0].nodes.add_bool(attr::is_cpu_op, true);
  t[0].nodes.end_node();
  recv(t[1], 0, 0, 100);
  ReplayOptions options;
  options.issue = IssueMode::workload;
  Diagnostics d;
  const auto r = test::replay_traces(t, net(ring2), options, d);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->total_ps, 110'000);
}

TEST(ReplayBuilder, ChecksDependenciesAndIds) {
  auto t = ranks(2);
  comp(t[0], 0, 1, {0, 7});
  comp(t[0], 0, 1);
  const std::string text = replay_findings(t);
  EXPECT_NE(text.find("t.0.et: error: node 0: depends on node 7, which does not exist [deps]\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("t.0.et: error: node 0: depends on itself [deps]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("t.0.et: error: node 0: an earlier node has the same id [ids]\n"), std::string::npos) << text;
}

TEST(ReplayBuilder, ChecksDurations) {
  auto t = ranks(2);
  comp(t[0], 0, UINT64_MAX);
  add_node(t[0], NodeType::comp, 1, {});
  t[0].nodes.add_int(attr::duration_nanos, Kind::int64_val, -1);
  t[0].nodes.end_node();
  EXPECT_EQ(replay_findings(t),
            "t.0.et: error: node 0: the duration exceeds 106 days [times]\n"
            "t.0.et: error: node 1: duration_nanos is negative [times]\n");
}

TEST(ReplayBuilder, ChoosesTheIssueMode) {
  Trace t = rank_trace(0);
  comp(t, 0, 1);
  EXPECT_EQ(default_issue_mode(t), IssueMode::workload);
  add_node(t, NodeType::comp, 1, {});
  t.nodes.add_int(attr::tb_id, Kind::int32_val, 0);
  t.nodes.end_node();
  EXPECT_EQ(default_issue_mode(t), IssueMode::algorithm);
  Trace linked = rank_trace(0);
  add_node(linked, NodeType::comp, 0, {});
  linked.nodes.add_string(attr::dep_rules, "p");
  linked.nodes.end_node();
  EXPECT_EQ(default_issue_mode(linked), IssueMode::unlimited);
  Trace u = rank_trace(0);
  u.metadata.table.add_string(attr::collective, "allreduce");
  EXPECT_EQ(default_issue_mode(u), IssueMode::algorithm);
}

}  // namespace
}  // namespace convert
