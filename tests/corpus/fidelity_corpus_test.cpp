// SPDX-License-Identifier: MIT
// Recorded sets compared with themselves, and with renamed copies.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "corpus.h"
#include "scenario/fidelity/compare_sets.h"
#include "sets/source.h"

namespace convert {
namespace {

// Links the ranks of a recorded set.
TracesAndGroups linked_set(const std::string& name, Rank ranks) {
  const std::filesystem::path folder = corpus::root() / "pytorch" / "inputs" / name;
  SourceOptions options{.operands = {}, .any_ranks = true, .hash = false};
  for (Rank r = 0; r < ranks; ++r) {
    options.operands.push_back(folder / ("host_" + std::to_string(r) + ".json.gz"));
    options.linked.push_back({.rank = r, .device = folder / ("kineto_" + std::to_string(r) + ".json.gz")});
  }
  Diagnostics diagnostics;
  TraceSource source(std::move(options), diagnostics);
  TracesAndGroups set{.traces = source.load(2)};
  if (const auto groups = source.groups()) set.groups_json = groups->json;
  return set;
}

// Gives every node another name, and each thread and stream another number.
TracesAndGroups renamed(TracesAndGroups set) {
  for (Trace& trace : set.traces) {
    for (Node& node : trace.nodes.nodes) {
      const std::string name = "x" + std::to_string(std::hash<std::string_view>()(trace.nodes.name(node)));
      node.name = trace.nodes.add_text(name);
    }
    for (Attr& a : trace.nodes.attrs) {
      if (a.name == attr::tid || a.name == attr::stream) a.bits += 1000;
    }
  }
  return set;
}

void expect_same(const TracesAndGroups& a, const TracesAndGroups& b) {
  Diagnostics diagnostics;
  const Fidelity f = compare_sets(a, b, {.jobs = 2}, diagnostics);
  EXPECT_TRUE(f.same()) << f.sentence();
  EXPECT_EQ(f.set.classes.total_variation, 0);
  EXPECT_EQ(f.set.span_change(), 0);
  EXPECT_EQ(f.ranks.size(), a.traces.size());
}

// The recording of one of two ranks: a ResNet-50 under DDP.
TEST(FidelityCorpus, ARecordedRankIsAsItself) {
  REQUIRE_CORPUS();
  const TracesAndGroups set = linked_set("derived_nccl2rank", 1);
  ASSERT_GT(set.traces.at(0).nodes.nodes.size(), 27'000U);
  expect_same(set, set);
  expect_same(set, renamed(set));
}

// Four ranks whose messages and collectives wait for each other in a cycle: no replay on a network ends.
TEST(FidelityCorpus, ARecordedSetIsAsItself) {
  REQUIRE_CORPUS();
  const TracesAndGroups set = linked_set("syn_4rank", 4);
  expect_same(set, set);
  expect_same(set, renamed(set));
  Diagnostics diagnostics;
  const Fidelity f = compare_sets(set, set, {}, diagnostics);
  ASSERT_EQ(f.simulated.size(), 8U);
  EXPECT_NE(f.simulated[0].a.failure.find("deadlock"), std::string::npos) << f.simulated[0].a.failure;
}

}  // namespace
}  // namespace convert
