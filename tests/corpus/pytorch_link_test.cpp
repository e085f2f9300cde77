// SPDX-License-Identifier: MIT
// Linking with the default rules: every device operation is a node, in order on its stream, and a replay of the
// recording starts every node at its recorded time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "config/network/network.h"
#include "corpus.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/process_groups.h"
#include "formats/pytorch/pytorch.h"
#include "graph/algorithms.h"
#include "graph/graph.h"
#include "link_whole.h"
#include "passes/relax.h"
#include "passes/validate.h"
#include "simulate/engine/recorded.h"
#include "simulate/engine/replay.h"
#include "simulate/system/default_system.h"

namespace convert {
namespace {

std::string file_of(const std::string& pair, const std::string& name) {
  const auto path = corpus::root() / "pytorch" / "inputs" / pair / name;
  return std::filesystem::exists(path) ? path.string() : path.string() + ".gz";
}

struct LinkedPair {
  LinkedTrace linked;
  Profile device;
};

LinkedPair link_pair(const std::string& pair, Rank rank, const LinkOptions& options = {}) {
  Diagnostics diagnostics;
  const std::string number = std::to_string(rank) + ".json";
  Trace host = read_pytorch(*open_input(file_of(pair, "host_" + number)), rank, diagnostics);
  Profile device = read_kineto(*open_input(file_of(pair, "kineto_" + number)), diagnostics);
  const auto groups = process_groups(host, &device);
  EXPECT_TRUE(diagnostics.all().empty()) << pair << ": " << format_diagnostic(diagnostics.all()[0]);
  return {link(std::move(host), device, groups, options), device};
}

// Begins of nodes in a replay, in ns, by id.
std::map<NodeId, std::int64_t> replayed_starts(const Trace& trace, std::int64_t& end_ns) {
  Diagnostics diagnostics;
  ReplayOptions options;
  options.recorded = Recorded::everything;
  options.timeline = true;
  RecordedReplay replay(options, diagnostics);
  const RecordedRank rank = replay.run(trace);
  end_ns = rank.end_ps / 1000;
  std::map<NodeId, std::int64_t> starts;
  for (const Slice& s : rank.timeline.slices) starts[s.node] = s.begin_ps / 1000;
  return starts;
}

std::int64_t recorded_start(const Trace& trace, const Node& n) {
  const IntValue exact = int_value(trace.nodes.attributes(n), attr::start_nanos);
  return exact ? exact.value : static_cast<std::int64_t>(n.start_us) * 1000;
}

class EveryPair : public testing::TestWithParam<std::pair<const char*, Rank>> {};

TEST_P(EveryPair, DeviceOperationsAreNodesInOrder) {
  REQUIRE_CORPUS();
  const auto [name, rank] = GetParam();
  const LinkedPair l = link_pair(name, rank);
  const Trace& trace = l.linked.trace;
  const LinkReport& report = l.linked.report;
  std::printf(
      "%s rank %u: %zu device operations in the profile, %llu kernels + %llu copies + %llu fills as nodes\n", name,
      rank, l.device.device_ops.size(), static_cast<unsigned long long>(report.kernel_nodes),
      static_cast<unsigned long long>(report.memcpy_nodes), static_cast<unsigned long long>(report.memset_nodes));
  EXPECT_EQ(report.kernel_nodes + report.memcpy_nodes + report.memset_nodes, l.device.device_ops.size());

  // Each operation depends on the preceding operation on its stream.
  const Graph graph = build_graph(trace.nodes);
  std::map<std::int64_t, std::uint32_t> last;
  std::size_t chained = 0, operations = 0;
  for (std::uint32_t i = 0; i < trace.nodes.nodes.size(); ++i) {
    const auto attrs = trace.nodes.attributes(trace.nodes.nodes[i]);
    const IntValue on_cpu = int_value(attrs, attr::is_cpu_op);
    if (!on_cpu || on_cpu.value != 0) continue;
    ++operations;
    const std::int64_t stream = int_value(attrs, attr::stream).value;
    const auto before = last.find(stream);
    if (before != last.end()) {
      const auto parents = graph.parents(i);
      chained += static_cast<std::size_t>(
          std::any_of(parents.begin(), parents.end(), [&](const Edge& e) { return e.node == before->second; }));
      EXPECT_LE(recorded_start(trace, trace.nodes.nodes[before->second]),
                recorded_start(trace, trace.nodes.nodes[i]));
    }
    last[stream] = i;
  }
  EXPECT_EQ(operations, l.device.device_ops.size());
  EXPECT_EQ(chained, operations - last.size());
  EXPECT_TRUE(find_cycles(graph).empty());
}

TEST_P(EveryPair, ReplayOfWhatWasRecordedIsWhatWasRecorded) {
  REQUIRE_CORPUS();
  const auto [name, rank] = GetParam();
  const LinkedPair l = link_pair(name, rank);
  const Trace& trace = l.linked.trace;
  std::int64_t end = 0;
  const auto starts = replayed_starts(trace, end);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Node& n : trace.nodes.nodes) first = std::min(first, recorded_start(trace, n));
  std::int64_t worst = 0;
  for (const Node& n : trace.nodes.nodes) {
    const auto found = starts.find(n.id);
    if (found == starts.end()) continue;  // metadata
    worst = std::max(worst, std::abs(found->second - (recorded_start(trace, n) - first)));
  }
  const auto span = static_cast<double>(l.linked.report.span_ns);
  std::printf("%s rank %u: recorded span %.3f us, replayed %.3f us (%+.3f %%), worst start off by %lld ns\n", name,
              rank, span / 1e3, static_cast<double>(end) / 1e3, 100 * (static_cast<double>(end) - span) / span,
              static_cast<long long>(worst));
  // The profiler's two clocks in whole microseconds may differ by this much.
  EXPECT_LE(worst, std::string_view(name) == "syn_v102" ? 2000 : 0);
}

TEST_P(EveryPair, ReductionChangesNoTime) {
  REQUIRE_CORPUS();
  const auto [name, rank] = GetParam();
  std::int64_t end = 0, reduced_end = 0;
  const LinkedPair all = link_pair(name, rank);
  const LinkedPair reduced = link_pair(name, rank, {.reduce = true});
  EXPECT_EQ(replayed_starts(all.linked.trace, end), replayed_starts(reduced.linked.trace, reduced_end));
  EXPECT_EQ(end, reduced_end);
  EXPECT_LE(reduced.linked.trace.nodes.deps.size(), all.linked.trace.nodes.deps.size());
}

INSTANTIATE_TEST_SUITE_P(Corpus, EveryPair,
                         testing::Values(std::pair("derived_nccl2rank", 0U), std::pair("derived_amd_mi250", 0U),
                                         std::pair("derived_event_sync_ms", 0U),
                                         std::pair("derived_event_sync_ms_ps", 0U), std::pair("derived_triton", 0U),
                                         std::pair("syn_4rank", 0U), std::pair("syn_4rank", 1U),
                                         std::pair("syn_4rank", 2U), std::pair("syn_4rank", 3U),
                                         std::pair("syn_v102", 0U)));

// Pairs in which events extend beyond the frame of the profiler's step are omitted.
TEST(Spans, AreWithinTwoPercent) {
  REQUIRE_CORPUS();
  for (const auto& [name, rank] :
       {std::pair("derived_nccl2rank", 0U), std::pair("syn_4rank", 0U), std::pair("syn_4rank", 1U),
        std::pair("syn_4rank", 2U), std::pair("syn_4rank", 3U)}) {
    const LinkedPair l = link_pair(name, rank);
    std::int64_t end = 0;
    (void)replayed_starts(l.linked.trace, end);
    EXPECT_NEAR(static_cast<double>(end), static_cast<double>(l.linked.report.span_ns),
                0.02 * static_cast<double>(l.linked.report.span_ns))
        << name << " rank " << rank;
  }
}

// Four linked ranks.
struct Set {
  std::vector<Trace> traces;
  GroupLists lists;
  std::vector<CommGroup> groups;
};

Set link_set(const std::string& pair) {
  Set set;
  for (Rank rank = 0; rank < 4; ++rank) {
    LinkedTrace linked = link_pair(pair, rank).linked;
    for (const GroupTable::Group& g : linked.groups) {
      const std::vector<std::uint32_t> ranks(g.ranks.begin(), g.ranks.end());
      if (g.id != 0 && !ranks.empty() && set.lists.emplace(std::to_string(g.id), ranks).second)
        set.groups.push_back({.id = g.id, .ranks = ranks});
    }
    set.traces.push_back(std::move(linked.trace));
  }
  return set;
}

Set without(Set set, const Cuts& cuts) {
  for (const auto& [rank, of] : cuts) cut_dependencies(set.traces[rank].nodes, of);
  return set;
}

// Errors of the set, without warnings.
std::vector<std::string> errors_across_ranks(const Set& set) {
  std::vector<TraceSummary> summaries;
  for (const Trace& t : set.traces) summaries.push_back(summarise(t));
  Diagnostics findings;
  (void)check_set(summaries, RuleSet::all(), findings, &set.lists);
  std::vector<std::string> errors;
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::error) errors.push_back(d.message);
  }
  return errors;
}

Relaxation relaxed(const Set& set) {
  std::vector<TraceSummary> summaries;
  std::vector<RecordedOrder> orders;
  for (const Trace& t : set.traces) {
    summaries.push_back(summarise(t));
    orders.push_back(recorded_order(t));
  }
  return relax(summaries, orders, &set.lists);
}

bool ends(const Set& set, const std::string& topology, NetworkModel model) {
  const NetworkConfig network = parse_short_network(topology + ",bw=50GB/s,lat=500ns");
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(network);
  system->groups = set.groups;
  ReplayOptions options;
  options.network.model = model;
  options.issue = IssueMode::workload;
  options.system = system;
  Diagnostics diagnostics;
  ReplayBuilder builder(network, options, diagnostics);
  for (const Trace& t : set.traces) builder.add(t);
  const auto program = builder.finish();
  EXPECT_TRUE(program) << (diagnostics.all().empty() ? "" : format_diagnostic(diagnostics.all()[0]));
  return program && replay(*program).status != ReplayStatus::deadlock;
}

constexpr const char* topologies[] = {"ring:4", "switch:4", "torus:2x2"};

// The synthetic generator gave receives earlier times than their sends: simulated as recorded, the ranks wait
// forever.
TEST(AcrossRanks, APipelineThatReceivesBeforeItSendsIsADeadlock) {
  REQUIRE_CORPUS();
  const Set set = link_set("syn_4rank");
  const auto errors = errors_across_ranks(set);
  EXPECT_FALSE(errors.empty());
  for (const std::string& e : errors) EXPECT_TRUE(e.starts_with("deadlock ")) << e;
  for (const char* topology : topologies) EXPECT_FALSE(ends(set, topology, NetworkModel::unaware));
}

TEST(AcrossRanks, WhatIsLeftOfTheOrderEndsAndNothingIsTakenOutInVain) {
  REQUIRE_CORPUS();
  for (const auto& [name, pairs, taken] :
       {std::tuple("syn_4rank", 9U, 9U), std::tuple("syn_4rank_deadlock", 12U, 15U)}) {
    const Set set = link_set(name);
    const Relaxation r = relaxed(set);
    EXPECT_EQ(r.pairs.size(), pairs) << name;
    std::size_t count = 0;
    const Set rest = without(set, r.cuts);
    EXPECT_EQ(errors_across_ranks(rest), std::vector<std::string>{}) << name;
    for (const char* topology : topologies) {
      for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires})
        EXPECT_TRUE(ends(rest, topology, model)) << name << " on " << topology;
    }
    for (const auto& [rank, cuts] : r.cuts) {
      for (const Cut& cut : cuts) {
        ++count;
        EXPECT_NE(cut.contradicted, Cut::Contradicted::nothing) << name << " rank " << rank << " node " << cut.node;
        EXPECT_NE(cut.rule, DepRule::data);
        Cuts but_one = r.cuts;
        std::erase_if(but_one[rank],
                      [&](const Cut& c) { return c.node == cut.node && c.dependency == cut.dependency; });
        const Set back = without(set, but_one);
        for (const char* topology : topologies)
          EXPECT_FALSE(ends(back, topology, NetworkModel::unaware))
              << name << " rank " << rank << " node " << cut.node;
      }
    }
    EXPECT_EQ(count, taken) << name;
  }
}

TEST(AcrossRanks, ARingOfReceivesBeforeSendsIsNamed) {
  REQUIRE_CORPUS();
  const auto errors = errors_across_ranks(link_set("syn_4rank_deadlock"));
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0],
            "deadlock 0:17 → 0:522 → 1:17 → 1:522 → 2:17 → 2:522 → 3:17 → 3:522 → 0:17 (rank:node; each waits for "
            "the previous one)");
}

}  // namespace
}  // namespace convert
