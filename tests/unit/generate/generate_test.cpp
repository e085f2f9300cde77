// SPDX-License-Identifier: MIT
#include "generate/generate.h"

#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "common/findings.h"
#include "core/diagnostic.h"
#include "formats/format.h"
#include "passes/validate.h"

namespace convert {
namespace {

std::vector<Trace> make(const GenerateRequest& r) {
  const MakeTrace make_rank = trace_generator(r);
  std::vector<Trace> set;
  for (Rank rank = 0; rank < r.ranks; ++rank) set.push_back(make_rank(rank));
  return set;
}

std::string findings(const GenerateRequest& r) {
  Diagnostics diagnostics;
  const RuleSet rules = RuleSet::all();
  std::vector<TraceSummary> summaries;
  for (const Trace& t : make(r)) {
    check_trace(t, rules, diagnostics);
    summaries.push_back(summarise(t));
  }
  check_set(summaries, rules, diagnostics, nullptr);
  return test::findings_text(diagnostics);
}

std::string bytes_of(const Trace& trace) {
  const auto writer = find_format("chakra").write(FormatOptions{});
  std::string bytes;
  writer->begin_rank(trace, 0, false, bytes);
  writer->nodes(trace, bytes);
  writer->end_rank(bytes);
  return bytes;
}

std::vector<std::string> names(const Trace& t) {
  std::vector<std::string> out;
  for (const Node& n : t.nodes.nodes) out.emplace_back(t.nodes.name(n));
  return out;
}

std::vector<NodeId> deps(const Trace& t, std::size_t node) {
  const auto list = t.nodes.data_deps(t.nodes.nodes[node]);
  return {list.begin(), list.end()};
}

TEST(Generate, EveryKindIsValid) {
  for (const TraceKind& kind : trace_kinds()) {
    for (const Rank ranks : {2U, 3U, 16U}) {
      GenerateRequest r{.kind = std::string(kind.name), .ranks = ranks};
      EXPECT_EQ(findings(r), "") << kind.name << " of " << ranks;
      for (const Trace& t : make(r)) {
        EXPECT_EQ(t.metadata.version, schema_version);
        EXPECT_FALSE(t.nodes.nodes.empty());
        for (std::size_t i = 0; i < t.nodes.nodes.size(); ++i) EXPECT_EQ(t.nodes.nodes[i].id, i);
      }
      if (!kind.takes(GenerateOption::comm)) continue;
      r.comm = {parse_generated_collective("reduce_scatter:1MiB")};
      if (kind.name != "node:comm_coll") {
        r.comm.push_back(parse_generated_collective("broadcast:4KiB"));
        r.comm.push_back(parse_generated_collective("barrier"));
      }
      EXPECT_EQ(findings(r), "") << kind.name;
    }
  }
}

TEST(Generate, RandomGraphsAreValidAndRepeatable) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const Rank ranks : {1U, 2U, 5U, 8U}) {
      GenerateRequest r{.kind = "random", .ranks = ranks};
      r.seed = seed;
      r.count = 120;
      EXPECT_EQ(findings(r), "") << seed << " " << ranks;
      EXPECT_EQ(bytes_of(make(r)[0]), bytes_of(make(r)[0]));
    }
  }
  GenerateRequest r{.kind = "random", .ranks = 2};
  const std::vector<Trace> by_default = make(r);
  r.seed = 1;
  EXPECT_EQ(bytes_of(make(r)[1]), bytes_of(by_default[1]));
  r.seed = 2;
  EXPECT_NE(bytes_of(make(r)[1]), bytes_of(by_default[1]));
  EXPECT_NE(bytes_of(by_default[0]), bytes_of(by_default[1]));
}

TEST(Generate, LayersOverlapGradientsWithTheLayersBefore) {
  GenerateRequest r{.kind = "layers", .ranks = 4};
  r.layers = 2;
  r.iterations = 2;
  r.compute_ns = 1500;
  r.comm = {parse_generated_collective("all_reduce:64MiB")};
  const Trace t = make(r)[3];
  EXPECT_EQ(names(t),
            (std::vector<std::string>{"forward layer 0 iteration 0", "forward layer 1 iteration 0",
                                      "backward layer 1 iteration 0", "ALL_REDUCE", "backward layer 0 iteration 0",
                                      "ALL_REDUCE", "forward layer 0 iteration 1", "forward layer 1 iteration 1",
                                      "backward layer 1 iteration 1", "ALL_REDUCE", "backward layer 0 iteration 1",
                                      "ALL_REDUCE"}));
  EXPECT_EQ(deps(t, 3), std::vector<NodeId>{2});
  EXPECT_EQ(deps(t, 4), std::vector<NodeId>{2});       // not the collective
  EXPECT_EQ(deps(t, 6), (std::vector<NodeId>{4, 5}));  // the preceding pass and layer 0's gradients
  EXPECT_EQ(deps(t, 7), (std::vector<NodeId>{6, 3}));
  EXPECT_EQ(t.nodes.nodes[0].duration_us, 2U);
  EXPECT_EQ(int_value(t.nodes.attributes(t.nodes.nodes[0]), attr::duration_nanos).value, 1500);
  EXPECT_EQ(t.nodes.nodes[2].duration_us, 3U);
  EXPECT_EQ(find(t.nodes.attributes(t.nodes.nodes[2]), attr::duration_nanos), nullptr);
  EXPECT_EQ(int_value(t.nodes.attributes(t.nodes.nodes[3]), attr::comm_size).value, 64 << 20);
}

TEST(Generate, PatternsHaveTheirShapes) {
  GenerateRequest r{.kind = "diamond", .ranks = 1};
  r.count = 3;
  const Trace diamond = make(r)[0];
  EXPECT_EQ(deps(diamond, 3), std::vector<NodeId>{0});
  EXPECT_EQ(deps(diamond, 4), (std::vector<NodeId>{1, 2, 3}));
  r.kind = "chain";
  EXPECT_EQ(deps(make(r)[0], 2), std::vector<NodeId>{1});
  r.kind = "independent";
  EXPECT_EQ(deps(make(r)[0], 2), std::vector<NodeId>{});
  r.kind = "collectives";
  EXPECT_EQ(deps(make(r)[0], 2), std::vector<NodeId>{1});
  r.chained = false;
  EXPECT_EQ(deps(make(r)[0], 2), std::vector<NodeId>{});
  r.kind = "send_ring";
  r.ranks = 3;
  r.chained = true;
  EXPECT_EQ(deps(make(r)[1], 2), std::vector<NodeId>{1});
}

// Ids continue over ranks and cases: 2 ranks' metadata nodes are 0 and 1, the first load is 2, …
TEST(Generate, LikeTheReferenceIdsRunOn) {
  const auto first_id = [](const char* kind, Rank ranks, Rank rank) {
    GenerateRequest r{.kind = kind, .ranks = ranks};
    r.like_reference = true;
    const Trace t = make(r)[rank];
    EXPECT_EQ(t.metadata.version, "1.0.0");
    return t.nodes.nodes[0].id;
  };
  EXPECT_EQ(first_id("node:metadata", 2, 1), 1U);
  EXPECT_EQ(first_id("node:comp_dependent", 2, 1), 14U);
  EXPECT_EQ(first_id("node:comm_recv", 2, 1), 31U);
  EXPECT_EQ(first_id("one_comm_recv_node", 64, 0), 64U * 15);
}

std::string refusal(const GenerateRequest& r) {
  return test::error_message([&] { (void)trace_generator(r); }, Error::Kind::usage);
}

TEST(Generate, WhatAKindCannotBeToldIsRefused) {
  EXPECT_EQ(refusal({.kind = "layrs"}), "unknown kind 'layrs'; did you mean layers?");
  GenerateRequest r{.kind = "chain"};
  r.layers = 3;
  EXPECT_EQ(refusal(r), "kind chain has no number of layers");
  r = {.kind = "layers"};
  r.like_reference = true;
  EXPECT_EQ(refusal(r), "kind layers is not a case of Chakra's generator");
  r = {.kind = "chain"};
  r.count = 0;
  EXPECT_EQ(refusal(r), "count 0: expected 1 to 5000000");
  r = {.kind = "layers"};
  r.layers = 100'000;
  r.iterations = 100'000;
  EXPECT_EQ(refusal(r), "a rank would have more than 10000000 nodes");
  EXPECT_EQ(refusal({.kind = "send_ring", .ranks = 1}),
            "kind send_ring requires at least two ranks: messages go to another rank");
  EXPECT_EQ(refusal({.kind = "chain", .ranks = 0}), "a set requires at least one rank");
}

TEST(Generate, CollectivesAreParsed) {
  const auto why = [](const char* text) -> std::string {
    try {
      const GeneratedCollective c = parse_generated_collective(text);
      return std::to_string(static_cast<int>(c.type)) + " " + std::to_string(c.bytes);
    } catch (const Error& e) {
      return e.what();
    }
  };
  EXPECT_EQ(why("all_gather:64KiB"), "2 65536");
  EXPECT_EQ(why("barrier"), "9 0");
  EXPECT_EQ(why("barrier:1"), "'barrier:1': a barrier has no size");
  EXPECT_EQ(why("all_reduce"), "'all_reduce': expected TYPE:SIZE, such as all_reduce:64MiB");
  EXPECT_EQ(why("all_reduce:0"), "'all_reduce:0': expected TYPE:SIZE, such as all_reduce:64MiB");
  EXPECT_EQ(why("all_reduc:1"), "unknown collective 'all_reduc'; did you mean all_reduce?");
  EXPECT_EQ(why(""), "unknown collective ''; expected TYPE:SIZE, such as all_reduce:64MiB");
}

}  // namespace
}  // namespace convert
