// SPDX-License-Identifier: MIT
// Nodes' data about their algorithm, checked against itself, the trace and other ranks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/collective.h"
#include "lowered.h"
#include "passes/provenance_rule.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

Lines findings_of(std::vector<Trace> set) {
  Diagnostics diagnostics;
  std::vector<ProvenanceFacts> facts;
  std::vector<TraceSummary> summaries;
  for (const Trace& t : set) {
    const Graph graph = build_graph(t.nodes);
    facts.push_back(check_provenance(t, graph, diagnostics));
    summaries.push_back(summarise(t, graph));
  }
  check_provenance(facts, summaries, diagnostics);
  return finding_lines(diagnostics);
}
Lines findings_of(TraceBuilder& b) { return findings_of(std::vector<Trace>{b.trace()}); }

// A message of a converter that names no buffers.
TraceBuilder& message(TraceBuilder& b, NodeId id, std::int32_t index, std::int32_t total,
                      const std::vector<NodeId>& deps = {}) {
  return b.send(id, 1, 0, -1, deps)
      .set(attr::msg_chunk_cnt, 1, Kind::int32_val)
      .set(attr::msg_chunk_idx, index, Kind::int32_val)
      .set(attr::total_chunk_cnt, total, Kind::int32_val)
      .set(attr::chunk_offset, index, Kind::int32_val);
}
TraceBuilder& at(TraceBuilder& b, std::int32_t tb, std::int32_t step, std::int32_t depid = -1,
                 std::int32_t deps = -1, std::int32_t hasdep = 0) {
  return b.set(attr::local_time_step, step, Kind::int32_val)
      .set(attr::hasdep, hasdep, Kind::int32_val)
      .set(attr::deps, deps, Kind::int32_val)
      .set(attr::depid, depid, Kind::int32_val)
      .set(attr::tb_id, tb, Kind::int32_val);
}

void change(Trace& t, std::size_t node, Name name, std::int64_t value) {
  const Node& n = t.nodes.nodes[node];
  for (std::uint32_t k = n.attrs.begin; k < n.attrs.begin + n.attrs.count; ++k) {
    if (t.nodes.attrs[k].name == name) t.nodes.attrs[k].bits = static_cast<std::uint64_t>(value);
  }
}

TEST(Provenance, WhatIsBuiltIsSound) {
  for (const char* algorithm :
       {"ring", "direct", "halving_doubling", "rabenseifner", "double_binary_tree", "chain"}) {
    for (const std::int32_t ranks : {2, 3, 8}) {
      for (const auto size : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1000003)}) {
        const Algorithm a = build_collective({.algorithm = algorithm, .ranks = ranks});
        EXPECT_EQ(findings_of(lower(a, size)), Lines{}) << algorithm << ranks;
      }
    }
  }
}

// A single number that contradicts the others is named.
TEST(Provenance, EachCounterIsChecked) {
  const Algorithm a = build_collective({.algorithm = "ring", .ranks = 4});
  for (const Name name : {attr::msg_chunk_cnt, attr::msg_chunk_idx, attr::total_chunk_cnt, attr::chunk_offset,
                          attr::comm_size, attr::local_time_step, attr::tb_id, attr::depid, attr::deps}) {
    for (std::size_t node = 0; node < 15; ++node) {
      std::vector<Trace> set = lower(a, 1000003);
      const IntValue old = int_value(set[2].nodes.attributes(set[2].nodes.nodes[node]), name);
      if (!old) continue;  // only of messages
      change(set[2], node, name, old.value + 1);
      const Lines found = findings_of(set);
      ASSERT_FALSE(found.empty()) << name.view() << " of node " << node;
      EXPECT_NE(found[0].find("t.2.et"), std::string::npos) << found[0];
      EXPECT_NE(found[0].find("[provenance]"), std::string::npos) << found[0];
    }
  }
}

// -1 means that a counter is not used, which does not excuse a step that uses it.
TEST(Provenance, CountersOfStepsCount) {
  const Algorithm a = build_collective({.algorithm = "ring", .ranks = 4});
  for (const Name name : {attr::msg_chunk_cnt, attr::msg_chunk_idx, attr::total_chunk_cnt, attr::chunk_offset}) {
    std::vector<Trace> set = lower(a, 1000003);
    change(set[2], 0, name, -1);
    const Lines found = findings_of(set);
    ASSERT_EQ(found.size(), 1U) << name.view();
    EXPECT_NE(found[0].find(std::string(name.view()) + " is -1, but"), std::string::npos) << found[0];
  }
}

TEST(Provenance, MessagesWithoutBuffersCountInTheWhole) {
  TraceBuilder good;
  for (NodeId i = 0; i < 8; ++i) message(good, i, static_cast<std::int32_t>(i), 8);
  EXPECT_EQ(findings_of(good), Lines{});
  TraceBuilder bad;
  message(bad, 0, 0, 1);
  message(bad, 1, 3, 1);
  message(bad, 2, 0, 1).set(attr::chunk_id, 7);
  EXPECT_EQ(findings_of(bad),
            (Lines{"t.0.et:@0x10: error: node 1: msg_chunk_idx 3 and msg_chunk_cnt 1 exceed total_chunk_cnt, 1 "
                   "[provenance]"}));
}

TEST(Provenance, StepsReadAndWriteWithinTheWhole) {
  const auto step = [](TraceBuilder& b, const char* buffer) {
    message(b, 0, 7, 1).set(attr::src_off, 7, Kind::int32_val);
    b.table().add_string(attr::step_type, "s");
    b.table().add_string(attr::src_buf, buffer);
  };
  TraceBuilder input, scratch;
  step(input, "i");
  step(scratch, "s");
  EXPECT_EQ(findings_of(input),
            (Lines{"t.0.et:@0x0: error: node 0: msg_chunk_idx 7 and msg_chunk_cnt 1 exceed total_chunk_cnt, 1 "
                   "[provenance]"}));
  EXPECT_EQ(findings_of(scratch), Lines{});
}

TEST(Provenance, CountersThatAreNotGivenDoNotCount) {
  TraceBuilder b;
  b.send(0, 1, 0, 512).set(attr::msg_chunk_cnt, -1).set(attr::total_chunk_cnt, -1);
  b.send(1, 1, 0, 77).set(attr::msg_chunk_cnt, -1).set(attr::total_chunk_cnt, 4);
  EXPECT_EQ(findings_of(b), Lines{});
}

TEST(Provenance, SizesArePartsOfOneWhole) {
  // 1000 bytes in 3 chunks: 333, 666, 1000.
  const auto trace = [](std::int64_t of_two) {
    TraceBuilder b;
    b.send(0, 1, 0, 333).set(attr::msg_chunk_cnt, 1).set(attr::total_chunk_cnt, 3);
    b.send(1, 1, 0, of_two).set(attr::msg_chunk_cnt, 2).set(attr::total_chunk_cnt, 3);
    b.send(2, 1, 0, 1000).set(attr::msg_chunk_cnt, 3).set(attr::total_chunk_cnt, 3);
    b.send(3, 1, 0, 1000).set(attr::msg_chunk_cnt, 3).set(attr::total_chunk_cnt, 3);
    b.send(4, 1, 0, 333).set(attr::msg_chunk_cnt, 1).set(attr::total_chunk_cnt, 3);
    return findings_of(b);
  };
  EXPECT_EQ(trace(666), Lines{});
  EXPECT_EQ(trace(667),
            (Lines{"t.0.et:@0x10: error: node 1: comm_size is 667 for 2 of 3 chunks, but node 0 has 333 "
                   "for 1 [provenance]"}));
}

// As in the converter of collectiveapi: the reduction after a receive has no data, nops leave gaps, and
// dependencies refer to the named step, whether it publishes or not.
TEST(Provenance, OtherConvertersAreUnderstood) {
  const auto trace = [](NodeId waits_for, std::int32_t deps) {
    TraceBuilder b;
    b.recv(0, 1, 0, -1)
        .set(attr::msg_chunk_cnt, 1)
        .set(attr::total_chunk_cnt, 2)
        .set(attr::is_rrc, 1, Kind::bool_val);
    at(b, 0, 0);
    b.comp(1, {0});
    at(message(b, 2, 0, 2, {1}), 0, 1);
    at(message(b, 3, 0, 2, {2}), 0, 3);
    at(message(b, 4, 1, 2, {waits_for}), 1, 1, 0, deps);
    return findings_of(b);
  };
  EXPECT_EQ(trace(2, 1), Lines{});
  EXPECT_EQ(trace(1, 0), Lines{});  // the reduction ends the step
  EXPECT_EQ(trace(2, 2), Lines{});  // a nop
  EXPECT_EQ(trace(3, 1), (Lines{"t.0.et:@0x40: error: node 4: depid and deps name step 1 of threadblock 0, but it "
                                "does not depend on node 2 [provenance]"}));
}

TEST(Provenance, StepsOfAThreadblockFollowEachOther) {
  TraceBuilder b;
  at(message(b, 0, 0, 2), 0, 0);
  at(message(b, 1, 0, 2), 0, 1);
  at(message(b, 2, 0, 2, {1}), 0, 2);
  at(message(b, 3, 0, 2, {2}), 0, 2);
  EXPECT_EQ(findings_of(b),
            (Lines{"t.0.et:@0x30: error: node 3: step 2 of threadblock 0 already has node 2 of the same type "
                   "[provenance]",
                   "t.0.et:@0x10: error: node 1: is step 1 of threadblock 0, but does not depend on node 0, the "
                   "previous step [provenance]"}));
}

TEST(Provenance, RanksThatExchangeMessagesCountAlike) {
  const auto rank = [](Rank r, std::int32_t total, std::int64_t bytes) {
    TraceBuilder b(r);
    b.recv(0, 1 - r, 0, bytes).set(attr::msg_chunk_cnt, 1).set(attr::total_chunk_cnt, total);
    return b.trace();
  };
  EXPECT_EQ(findings_of({rank(0, 8, 10), rank(1, 8, 10)}), Lines{});
  EXPECT_EQ(findings_of({rank(0, 8, 10), rank(1, 4, 10)}).size(), 2U);
  EXPECT_EQ(findings_of({rank(0, 8, 10), rank(1, 8, 11)})[0],
            "t.0.et:@0x0: error: the sizes of its messages and of the messages of rank 1, from which it receives, "
            "cannot be chunks of one buffer [provenance]");
}

}  // namespace
}  // namespace convert
