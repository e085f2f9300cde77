// SPDX-License-Identifier: MIT
// Every valid MSCCL-IR file of the corpus: its traces do not contradict it, and it is proved as a replacement of a
// collective.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "corpus/msccl_files.h"
#include "generate/trace_builder.h"
#include "passes/lower/lower.h"
#include "passes/merge/merge.h"
#include "passes/provenance_rule.h"
#include "passes/verify/merged/proof.h"

namespace {

using namespace convert;

TEST(MscclMerged, ProvenanceIsNotContradicted) {
  REQUIRE_CORPUS();
  std::size_t checked = 0;
  for (const auto& file : corpus::sound_files()) {
    const Algorithm a = corpus::read_algorithm(file);
    for (const auto size : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1000003)}) {
      Diagnostics ignored, diagnostics;
      const Lowering lowering(a, size, ignored);
      std::vector<ProvenanceFacts> facts;
      std::vector<TraceSummary> summaries;
      for (Rank r = 0; r < a.gpus.size(); ++r) {
        Trace t;
        lowering.lower(r, t);
        const Graph graph = build_graph(t.nodes);
        facts.push_back(check_provenance(t, graph, diagnostics));
        summaries.push_back(summarise(t, graph));
      }
      check_provenance(facts, summaries, diagnostics);
      EXPECT_EQ(corpus::error_lines(diagnostics), "") << file;
    }
    ++checked;
  }
  EXPECT_GE(checked, 200U);
}

TEST(MscclMerged, IsProvedInThePlaceOfItsCollective) {
  REQUIRE_CORPUS();
  const std::set types = {Collective::all_reduce,     Collective::all_gather, Collective::all_to_all,
                          Collective::reduce_scatter, Collective::broadcast,  Collective::reduce};
  constexpr std::size_t most_steps = 20'000;
  std::size_t proved = 0;
  for (const auto& file : corpus::sound_files()) {
    const auto a = std::make_shared<Algorithm>(corpus::read_algorithm(file));
    if (!types.contains(a->collective) || a->steps.size() > most_steps) continue;
    Diagnostics ignored;
    const auto lowering = std::make_shared<Lowering>(*a, std::nullopt, ignored);
    MergeAlgorithm algorithm;
    algorithm.source = a->name;
    algorithm.places = static_cast<std::uint32_t>(a->ranks());
    algorithm.tags = 64;
    algorithm.load = [lowering, a](std::uint32_t place) {
      Trace t;
      lowering->lower(place, t);
      return t;
    };
    const auto flow = ChunkFlow::of(*a);
    ASSERT_TRUE(flow) << file;
    algorithm.flow = [&flow] { return &*flow; };
    MergePlan plan;
    plan.ranks = algorithm.places;
    plan.groups["0"];
    plan.tags = algorithm.tags;
    plan.algorithms.push_back(std::move(algorithm));
    const MergeChoice choice{.algorithm = 0, .chunks = 2};
    plan.most_chunks = choice.chunks;
    plan.choose = [&choice](const MergeCall&) { return &choice; };
    Diagnostics diagnostics;
    MergedProof proof;
    for (Rank r = 0; r < plan.ranks; ++r) {
      TraceBuilder b(r);
      b.collective(a->collective, 1000003, {b.compute("c", 1, {})});
      MergedRank rank(plan, b.finish());
      Trace all;
      all.rank = r;
      rank.add_programs(all.metadata);
      for (Trace part; rank.next(part, 100'000);) all.nodes.append(part.nodes);
      proof.add(merged_calls(all, diagnostics));
    }
    EXPECT_EQ(proof.run(nullptr, std::nullopt, diagnostics).proved, 1U) << file << "\n"
                                                                        << corpus::error_lines(diagnostics);
    ++proved;
  }
  EXPECT_GE(proved, 200U);
}

}  // namespace
