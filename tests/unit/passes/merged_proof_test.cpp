// SPDX-License-Identifier: MIT
// Merged workloads, proved collective by collective.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "algorithms.h"
#include "collectives/collective.h"
#include "lowered.h"
#include "passes/merge/merge.h"
#include "passes/provenance.h"
#include "passes/verify/merged/proof.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

MergeAlgorithm merge_algorithm(const Algorithm& a) {
  MergeAlgorithm out;
  out.source = a.name;
  out.places = static_cast<std::uint32_t>(a.ranks());
  out.tags = 64;
  out.load = [places = lower(a)](std::uint32_t place) { return places.at(place); };
  if (const auto flow = ChunkFlow::of(a))
    out.flow = [kept = std::make_shared<ChunkFlow>(*flow)] { return kept.get(); };
  return out;
}

struct Workload {
  MergePlan plan;
  MergeChoice choice;
  std::vector<Trace> merged;

  // Computation, collective, computation on each rank; the group lists ranks in reverse order.
  Workload(const Algorithm& a, Collective type, std::int64_t bytes, std::uint32_t chunks, int collectives = 2) {
    plan.ranks = static_cast<std::uint32_t>(a.ranks());
    plan.groups["0"];
    for (std::uint32_t r = plan.ranks; r-- > 0;) plan.groups["7"].ranks.push_back(r);
    plan.algorithms.push_back(merge_algorithm(a));
    plan.tags = plan.algorithms[0].tags;
    plan.most_chunks = choice.chunks = chunks;
    plan.choose = [this](const MergeCall&) { return &choice; };
    for (Rank r = 0; r < plan.ranks; ++r) {
      TraceBuilder b(r);
      b.comp(0);
      for (int c = 0; c < collectives; ++c) {
        b.collective(static_cast<NodeId>(2 * c + 1), type, bytes + c, "7", {static_cast<NodeId>(2 * c)});
        b.comp(static_cast<NodeId>(2 * c + 2), {static_cast<NodeId>(2 * c + 1)});
      }
      MergedRank rank(plan, b.trace());
      Trace& all = merged.emplace_back();
      all.rank = r;
      all.name = "t." + std::to_string(r) + ".et";
      rank.add_programs(all.metadata);
      for (Trace part; rank.next(part, 100);) all.nodes.append(part.nodes);
    }
  }
  Workload(const Workload&) = delete;

  [[nodiscard]] GroupLists groups() const { return {{"7", plan.groups.at("7").ranks}}; }
  MergedProof::Counts prove(Lines* out = nullptr) const {
    Diagnostics diagnostics;
    MergedProof proof;
    for (const Trace& t : merged) proof.add(merged_calls(t, diagnostics));
    const GroupLists lists = groups();
    const auto counts = proof.run(&lists, std::nullopt, diagnostics);
    if (out != nullptr) *out = finding_lines(diagnostics);
    return counts;
  }
};

// Returns nodes whose collectives record their root.
NodeTable with_root(const NodeTable& nodes, Name end, Rank root) {
  NodeTable out;
  for (const Node& n : nodes.nodes) {
    out.add_copy(nodes, n);
    const auto attrs = out.attributes(out.nodes.back());
    if (find(attrs, end) != nullptr) {
      out.attrs[static_cast<std::size_t>(find(attrs, end) - out.attrs.data())].bits = root;
    } else if (find(attrs, attr::merged_nodes) != nullptr) {
      out.add_int(end, Kind::int32_val, static_cast<std::int64_t>(root));
      out.end_node();
    }
  }
  return out;
}

// Returns the numbers of a rank's only program, for changes.
std::span<std::uint64_t> steps_of_program(Trace& t) {
  AttrTable& table = t.metadata.table;
  const Attr& a = *find(table.attrs, merged::name_of(0, merged::steps));
  return std::span(table.numbers).subspan(a.bits, a.size);
}

const std::map<Collective, std::pair<Collective, std::vector<const char*>>> built_kinds = {
    {Collective::all_reduce,
     {Collective::all_reduce,
      {"ring", "direct", "all_pairs", "halving_doubling", "rabenseifner", "double_binary_tree"}}},
    {Collective::all_gather, {Collective::all_gather, {"ring", "direct", "halving_doubling"}}},
    {Collective::reduce_scatter, {Collective::reduce_scatter, {"ring", "direct", "halving_doubling"}}},
    {Collective::all_to_all, {Collective::all_to_all, {"direct", "pairwise"}}},
    {Collective::broadcast, {Collective::broadcast, {"binomial_tree", "chain"}}},
    {Collective::reduce, {Collective::reduce, {"binomial_tree", "chain"}}}};

TEST(MergedProof, WhatIsBuiltInIsProved) {
  for (const auto& [type, what] : built_kinds) {
    for (const char* algorithm : what.second) {
      for (const std::int32_t ranks : {2, 3, 8}) {
        const Algorithm a = build_collective({.collective = what.first, .algorithm = algorithm, .ranks = ranks});
        for (const std::uint32_t chunks : {1U, 3U}) {
          Lines found;
          const auto counts = Workload(a, type, 10007, chunks).prove(&found);
          EXPECT_EQ(found, Lines{}) << algorithm << ranks;
          EXPECT_EQ(counts.collectives, 2U);
          EXPECT_EQ(counts.proved, 2U);
          EXPECT_EQ(counts.other_nodes, 3U * static_cast<unsigned>(ranks));
        }
      }
    }
  }
}

// The root is group member 1, rank 2; rank 1 forwards the chunks of rank 0.
TEST(MergedProof, GathersAndScattersAreProvedWithTheirParts) {
  for (const Algorithm& a : {gather_over_two(), scatter_over_two()}) {
    for (const std::uint32_t chunks : {1U, 3U}) {
      Workload w(a, a.collective, 10007, chunks);
      Lines found;
      EXPECT_EQ(w.prove(&found).proved, 2U);
      EXPECT_EQ(found, Lines{});
      const Name end = a.collective == Collective::gather ? merged::comm_dst : merged::comm_src;
      for (const bool right : {true, false}) {
        for (Trace& t : w.merged) t.nodes = with_root(t.nodes, end, right ? 2 : 1);
        EXPECT_EQ(w.prove().proved, right ? 2U : 0U);
      }
    }
  }
}

// The numbers of a node in the metadata are a step type, buffers, offsets and chunks.
TEST(MergedProof, EachPlaceOfAPartCounts) {
  for (const Algorithm& a : {gather_over_two(), scatter_over_two()}) {
    std::size_t tried = 0;
    for (Rank rank = 0; rank < 4; ++rank) {
      for (std::size_t word = 0;; ++word) {
        Workload w(a, a.collective, 1000, 1);
        const auto steps = steps_of_program(w.merged[rank]);
        if (word >= steps.size()) break;
        const auto type = static_cast<StepType>(steps[word - word % merged::step_numbers]);
        const bool used = word % merged::step_numbers == 2 ? reads_src(type) : writes_dst(type);
        if ((word % merged::step_numbers != 2 && word % merged::step_numbers != 4) || !used) continue;
        steps[word] = steps[word] == 0 ? 1 : steps[word] - 1;
        Lines found;
        EXPECT_EQ(w.prove(&found).proved, 0U) << rank << ' ' << word;
        const auto tells = [](const std::string& line) {
          return line.find("must finally hold chunk") != std::string::npos;
        };
        EXPECT_TRUE(std::ranges::any_of(found, tells)) << rank << ' ' << word;
        ++tried;
      }
    }
    EXPECT_EQ(tried, 8U);
  }
}

// Each single message with another tag, size or peer: the second collective is refuted and named, and the first is
// proved nevertheless.
TEST(MergedProof, EachMessageCounts) {
  const Algorithm a = build_collective({.algorithm = "ring", .ranks = 4});
  const Workload sound(a, Collective::all_reduce, 1000, 1);
  for (const Name name : {attr::comm_tag, attr::comm_size, attr::comm_src, attr::comm_dst}) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < sound.merged[1].nodes.nodes.size(); ++i) {
      Workload w(a, Collective::all_reduce, 1000, 1);
      NodeTable& table = w.merged[1].nodes;
      const Node& n = table.nodes[i];
      const auto attrs = table.attributes(n);
      if (n.type == NodeType::comp || int_value(attrs, attr::merged_from).value != 3) continue;
      const Name peer = n.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src;
      if ((name == attr::comm_src || name == attr::comm_dst) && name != peer) continue;
      Attr& changed = table.attrs[static_cast<std::size_t>(find(attrs, name) - table.attrs.data())];
      changed.bits = name == peer ? 3 - changed.bits : changed.bits + 1;
      Lines found;
      const auto counts = w.prove(&found);
      EXPECT_EQ(counts.proved, 1U) << name.view() << " of node " << n.id;
      ASSERT_FALSE(found.empty());
      EXPECT_NE(found[0].find("merged collective 3 (n) of group 7"), std::string::npos) << found[0];
      ++tried;
    }
    EXPECT_GT(tried, 0U);
  }
}

TEST(MergedProof, EachNodeCounts) {
  const Algorithm a = build_collective({.algorithm = "halving_doubling", .ranks = 4});
  const std::size_t nodes = Workload(a, Collective::all_reduce, 1000, 2).merged[2].nodes.nodes.size();
  for (std::size_t i = 5; i < nodes; ++i) {
    Workload w(a, Collective::all_reduce, 1000, 2);
    std::vector<Node>& all = w.merged[2].nodes.nodes;
    const bool second = int_value(w.merged[2].nodes.attributes(all[i]), attr::merged_from).value == 3;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    Lines found;
    EXPECT_EQ(w.prove(&found).proved, 1U);
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find(second ? "merged collective 3 (n)" : "merged collective 1 (n)"), std::string::npos)
        << found[0];
  }
}

TEST(MergedProof, SharedTagsAreNoProof) {
  const Algorithm a = build_collective({.algorithm = "ring", .ranks = 2});
  Workload w(a, Collective::all_reduce, 1000, 1);
  for (Trace& t : w.merged) {
    for (Attr& attribute : t.nodes.attrs) {
      if (attribute.name == attr::comm_tag) attribute.bits = 5;
    }
  }
  Lines found;
  w.prove(&found);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("could receive each other's messages"), std::string::npos) << found[0];
}

TEST(MergedProof, RanksThatAreMissingAreNamedOnce) {
  const Algorithm a = build_collective({.algorithm = "ring", .ranks = 4});
  Workload w(a, Collective::all_reduce, 1000, 1, 5);
  w.merged.erase(w.merged.begin() + 2);
  Lines found;
  const auto counts = w.prove(&found);
  EXPECT_EQ(counts.collectives, 5U);
  EXPECT_EQ(counts.proved, 0U);
  EXPECT_EQ(found,
            (Lines{"t.3.et: error: merged collective 1 (n) of group 7 and 4 others are not proved: rank 2 is "
                   "missing [provenance]"}));
}

}  // namespace
}  // namespace convert
