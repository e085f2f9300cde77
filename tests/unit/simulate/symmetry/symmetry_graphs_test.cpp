// SPDX-License-Identifier: MIT
// One rank represents all that run the same graph, with any edges: no synchronisation makes a rank wait for all its
// preceding work.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "common/replay_traces.h"
#include "sanitized.h"
#include "simulate/report/report.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

// Work of all ranks; peers are at distance `shift`.
struct GraphNode {
  NodeType type = NodeType::comp;
  std::int64_t value = 0;  // us or bytes
  Rank shift = 0;
  std::int64_t tag = 0;
  bool cpu = false;
  std::vector<NodeId> parents{};
};

std::vector<GraphNode> random_symmetric_graph(Random& random, Rank npus, bool collectives) {
  std::vector<GraphNode> nodes;
  const auto add = [&](GraphNode n) {
    for (NodeId p = 0; p < nodes.size(); ++p) {
      const bool in_order = n.type == NodeType::comm_coll && nodes[p].type == NodeType::comm_coll;
      if (in_order || random.once_in(4)) n.parents.push_back(p);
    }
    nodes.push_back(n);
  };
  for (std::int64_t count = random.in(2, 10); count > 0; --count) {
    switch (random.in(0, collectives ? 5 : 4)) {
      case 0:
      case 1:
        add({.type = NodeType::comp, .value = random.of<std::int64_t>({1, 2, 3, 7}), .cpu = random.once_in(3)});
        break;
      case 2: add({.type = NodeType::invalid}); break;
      case 3:
      case 4: {
        GraphNode n{.type = NodeType::comm_send, .value = 1000 * random.in(1, 3), .tag = random.in(0, 1)};
        n.shift = static_cast<Rank>(random.in(1, npus - 1));
        const bool send_first = random.once_in(2);
        for (const bool sends : {send_first, !send_first}) {
          n.type = sends ? NodeType::comm_send : NodeType::comm_recv;
          add(n);
        }
        break;
      }
      default: add({.type = NodeType::comm_coll, .value = 1000 * random.in(1, 3) * npus});
    }
  }
  return nodes;
}

Trace graph_trace(const std::vector<GraphNode>& graph, Rank rank, Rank npus) {
  Trace t = rank_trace(rank);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const GraphNode& n = graph[id];
    t.nodes.add_node(id, n.type, "n");
    for (const NodeId p : n.parents) t.nodes.add_data_dep(p);
    if (n.type == NodeType::comp) {
      t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(n.value);
      t.nodes.add_bool(attr::is_cpu_op, n.cpu);
    } else if (n.type != NodeType::invalid) {
      t.nodes.add_int(attr::comm_size, Kind::int64_val, n.value);
    }
    if (n.type == NodeType::comm_send) t.nodes.add_int(attr::comm_dst, Kind::int32_val, (rank + n.shift) % npus);
    if (n.type == NodeType::comm_recv)
      t.nodes.add_int(attr::comm_src, Kind::int32_val, (rank + npus - n.shift) % npus);
    if (n.shift != 0) t.nodes.add_int(attr::comm_tag, Kind::int32_val, n.tag);
    if (n.type == NodeType::comm_coll)
      t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
    t.nodes.end_node();
  }
  return t;
}

struct GraphOutcome {
  std::string text;  // all reports
  std::size_t classes = 0;
  Picoseconds total = 0;
};

GraphOutcome run_graph(const std::vector<GraphNode>& graph, const NetworkDim& dim, const ReplayOptions& options) {
  std::vector<Trace> traces;
  const auto npus = static_cast<Rank>(dim.npus);
  for (Rank r = 0; r < npus; ++r) traces.push_back(graph_trace(graph, r, npus));
  Diagnostics diagnostics;
  const auto result =
      test::replay_traces(traces, NetworkConfig{.source = "network", .dims = {dim}}, options, diagnostics);
  if (!result) return {format_diagnostic(diagnostics.all().at(0))};
  GraphOutcome out{.text = {}, .classes = result->classes, .total = result->total_ps};
  append_json(*result, out.text);
  if (const std::size_t line = out.text.find(" \"symmetry\":"); line != std::string::npos)
    out.text.erase(line, out.text.find('\n', line) + 1 - line);
  append_csv(*result, out.text);
  append_csv(*result, out.text, {.part = ReportPart::collectives});
  return out;
}

TEST(SymmetryOfGraphs, GivesWhatAllRanksGive) {
  int symmetric = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(4000U); ++seed) {
    Random random(seed);
    NetworkDim dim{.topology = random.of({Topology::ring, Topology::fully_connected, Topology::switched}),
                   .npus = random.in(2, 6),
                   .bytes_per_ns = random.of({1.0, 2.0}),
                   .latency_ns = random.of({0.0, 100.0, 500.0})};
    ReplayOptions options;
    options.network.model = random.of({NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires});
    options.issue = random.of({IssueMode::algorithm, IssueMode::workload, IssueMode::workload});
    options.astra = random.once_in(2);
    auto system = std::make_shared<ReplaySystem>();
    system->config.source = "system";
    system->config.endpoint_delay_given = true;
    system->config.endpoint_delay_ns = random.of<std::int64_t>({1, 10, 100});
    system->config.active_chunks_per_dimension = random.in(1, 3);
    system->config.dataset_splits = random.of<std::int64_t>({1, 2, 4});
    for (CollectiveChoice& choice : system->config.collectives) choice.per_dim = {AlgorithmChoice{}};
    system->rendezvous = random.once_in(6);
    options.system = system;
    const auto graph =
        random_symmetric_graph(random, static_cast<Rank>(dim.npus), options.issue == IssueMode::workload);
    for (const bool half : {false, true}) {
      options.symmetry = true;
      const GraphOutcome with = run_graph(graph, dim, options);
      options.symmetry = false;
      const GraphOutcome without = run_graph(graph, dim, options);
      ASSERT_EQ(with.text, without.text) << "seed " << seed << (half ? ", half of it" : "");
      symmetric += with.classes != 0 ? 1 : 0;
      options.until = without.total / 2;
    }
  }
  std::cout << "with symmetry: " << symmetric << " of 8000\n";
  EXPECT_GE(symmetric, test::rounds(1500));
}

// A receive and a send end at the same time, in an order that differs between ranks. The order determines which of
// two nodes gets the NPU's compute slot.
TEST(SymmetryOfGraphs, GivesUpWhereTwoNodesAreFreedInAnOrderThatIsOpen) {
  const std::vector<GraphNode> graph = {
      {.type = NodeType::comm_recv, .value = 2000, .shift = 1},
      {.type = NodeType::comm_send, .value = 2000, .shift = 1},
      {.type = NodeType::comp, .value = 2, .parents = {0, 1}},
      {.type = NodeType::comp, .value = 7, .parents = {0}},
      {.type = NodeType::comp, .value = 10, .cpu = true, .parents = {2}},
  };
  for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware, NetworkModel::wires}) {
    ReplayOptions options;
    options.network.model = model;
    options.issue = IssueMode::workload;
    const NetworkDim dim{.topology = Topology::ring, .npus = 4, .bytes_per_ns = 1, .latency_ns = 100};
    const GraphOutcome with = run_graph(graph, dim, options);
    EXPECT_EQ(with.classes, 0U);
    EXPECT_EQ(with.total, 21'100 * ps_per_ns);
    options.symmetry = false;
    EXPECT_EQ(with.text, run_graph(graph, dim, options).text);
  }
}

// Thousands of messages that reach an NPU at one time have the same cost as others.
TEST(SymmetryOfGraphs, ManyMessagesAtOnce) {
  std::vector<GraphNode> graph;
  for (std::int64_t tag = 0; tag < 50'000; ++tag) {
    graph.push_back({.type = NodeType::comm_send, .value = 1000, .shift = 1, .tag = tag});
    graph.push_back({.type = NodeType::comm_recv, .value = 1000, .shift = 1, .tag = tag});
  }
  ReplayOptions options;
  const NetworkDim dim{.topology = Topology::switched, .npus = 2, .bytes_per_ns = 1, .latency_ns = 100};
  const GraphOutcome with = run_graph(graph, dim, options);
  options.symmetry = false;
  EXPECT_EQ(with.text, run_graph(graph, dim, options).text);
}

// Chakra's text converter continues ids from rank to rank.
TEST(SymmetryOfGraphs, IdsMayDiffer) {
  std::vector<Trace> traces = ranks(4);
  for (Trace& t : traces) {
    const NodeId first = 100 * t.rank;
    comp(t, first, 5);
    coll(t, first + 1, Collective::all_reduce, 64'000, {first});
    comp(t, first + 2, 7, {first + 1});
  }
  ReplayOptions options;
  options.issue = IssueMode::workload;
  const auto run = [&](bool symmetry, bool timeline) {
    options.symmetry = symmetry;
    options.timeline = timeline;
    Diagnostics diagnostics;
    return *test::replay_traces(traces, net("ring:4,bw=50GB/s,lat=1us"), options, diagnostics);
  };
  const ReplayResult with = run(true, false);
  const ReplayResult without = run(false, false);
  EXPECT_NE(with.equivalence, nullptr);
  EXPECT_EQ(with.total_ps, without.total_ps);
  ASSERT_EQ(with.collectives.size(), 1U);
  EXPECT_EQ(with.collectives[0].first_node, without.collectives[0].first_node);
  EXPECT_EQ(run(true, true).equivalence, nullptr);  // it names the nodes of each rank
}

}  // namespace
}  // namespace convert::test
