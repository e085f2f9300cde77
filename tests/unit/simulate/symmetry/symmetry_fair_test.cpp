// SPDX-License-Identifier: MIT
// One rank represents its class on machines, too: calls and messages share links as with all ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "machine/chosen.h"
#include "sanitized.h"
#include "simulate/report/report.h"
#include "unit/simulate/random_cases.h"

namespace convert::test {
namespace {

// Small nodes, so that calls cross nodes and ends coincide.
NetworkConfig machine_of(Random& random, Rank gpus, Rank nodes) {
  const std::string text = "machine: small\nnode: { gpus: " + std::to_string(gpus) +
                           ", port: 100GB/s, topology: " + random.of({"switch", "mesh"}) +
                           " }\nnetwork: { adapters: " + std::to_string(gpus) +
                           ", bandwidth: " + random.of({"25GB/s", "100GB/s"}) + " }\n";
  const FileArgument file{.path = "small.yml", .options = {{"nodes", std::to_string(nodes)}}};
  return network_of(choose_machine(file, text), "small.yml");
}

enum class Reach : std::uint8_t { node, rail, pair, most, all };

// Work of all ranks of a class of nodes; an index in a list is the id of the node.
struct MachineNode {
  NodeType type = NodeType::comp;
  std::int64_t value = 0;  // us or bytes
  Collective op = Collective::all_reduce;
  Reach reach = Reach::node;
  Rank gpus_on = 0;  // distance of the peer: GPUs in the node, and nodes
  Rank nodes_on = 0;
  bool cpu = false;
  std::vector<NodeId> parents{};
};

struct MachineCase {
  Rank gpus = 2;
  Rank nodes = 1;
  std::vector<MachineNode> graph{};
  std::vector<std::int64_t> delay{};  // us of each node before its work
  NetworkConfig network{};
};

struct Sizes {
  std::vector<std::int64_t> bytes{};
  bool ordered = false;  // calls follow each other
};

void add_work(MachineCase& c, Random& random, const Sizes& sizes) {
  MachineNode n;
  const auto bytes = [&] {
    return sizes.bytes[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(sizes.bytes.size()) - 1))];
  };
  const auto add = [&] {
    n.parents.clear();
    for (NodeId p = 0; p < c.graph.size(); ++p) {
      const bool both_call = n.type == NodeType::comm_coll && c.graph[p].type == NodeType::comm_coll;
      if ((sizes.ordered && both_call) || random.once_in(4)) n.parents.push_back(p);
    }
    c.graph.push_back(n);
  };
  const std::int64_t kind = random.in(0, 7);
  if (kind < 2) {
    n.value = random.of<std::int64_t>({1, 2, 20, 70});
    n.cpu = random.once_in(4);
    add();
  } else if (kind < 5) {
    n.type = NodeType::comm_coll;
    n.op = random.of(
        {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all});
    n.reach = random.of({Reach::node, Reach::rail, Reach::pair, Reach::most, Reach::all});
    n.value = bytes();
    add();
  } else {
    n.gpus_on = static_cast<Rank>(random.in(0, c.gpus - 1));
    n.nodes_on = static_cast<Rank>(random.in(n.gpus_on == 0 && c.nodes > 1 ? 1 : 0, c.nodes - 1));
    if (n.gpus_on == 0 && n.nodes_on == 0) n.gpus_on = 1;
    n.value = bytes();
    const bool send_first = random.once_in(2);
    for (const bool sends : {send_first, !send_first}) {
      n.type = sends ? NodeType::comm_send : NodeType::comm_recv;
      add();
    }
  }
}

MachineCase random_case(std::uint64_t seed) {
  Random random(seed);
  MachineCase c;
  c.gpus = static_cast<Rank>(random.in(2, 4));
  c.nodes = static_cast<Rank>(random.in(1, 4));
  c.network = machine_of(random, c.gpus, c.nodes + (random.once_in(4) ? 1 : 0));  // the last node is idle
  Sizes sizes{.bytes = {8, 100'000, 4'000'000}};
  if (random.once_in(2)) sizes.bytes = {100'000'000, 50'000'000, 12'345'678};
  sizes.ordered = random.once_in(2);
  for (std::int64_t count = random.in(2, 9); count > 0; --count) add_work(c, random, sizes);
  c.delay.assign(c.nodes, 1);
  if (random.once_in(3)) c.delay.back() = random.in(1, 60);  // a straggler
  return c;
}

// Groups 1 to `nodes`: of a node each. Then: of equal GPUs of all nodes; of a node without its last GPU; of
// neighbours in a node.
std::vector<std::vector<Rank>> groups_of(const MachineCase& c) {
  std::vector<std::vector<Rank>> groups(2 * c.nodes + c.gpus);
  for (Rank r = 0; r < c.nodes * c.gpus; ++r) {
    groups[r / c.gpus].push_back(r);
    groups[c.nodes + r % c.gpus].push_back(r);
    if (r % c.gpus + 1 < c.gpus) groups[c.nodes + c.gpus + r / c.gpus].push_back(r);
  }
  for (Rank r = 0; c.gpus % 2 == 0 && r < c.nodes * c.gpus; r += 2) groups.push_back({r, r + 1});
  return groups;
}
std::size_t group_of(const MachineCase& c, Reach reach, Rank r) {
  switch (reach) {
    case Reach::all: return 0;
    case Reach::rail:
      if (c.nodes > 1) return 1 + c.nodes + r % c.gpus;
      break;
    case Reach::pair:
      if (c.gpus % 2 == 0) return 1 + 2 * c.nodes + c.gpus + r / 2;
      break;
    case Reach::most:
      if (c.gpus > 2) return 1 + c.nodes + c.gpus + r / c.gpus;
      break;
    case Reach::node: break;
  }
  return 1 + r / c.gpus;
}

bool takes_part(const MachineCase& c, const MachineNode& n, Rank rank) {
  const bool is_most = n.type == NodeType::comm_coll && n.reach == Reach::most && c.gpus > 2;
  return !is_most || rank % c.gpus + 1 < c.gpus;
}

Trace trace_of(const MachineCase& c, Rank rank) {
  Trace t = rank_trace(rank);
  const Rank gpu = rank % c.gpus;
  const Rank node = rank / c.gpus;
  const auto at = [&](Rank g, Rank n) { return n % c.nodes * c.gpus + g % c.gpus; };
  const NodeId delay = c.graph.size();
  comp(t, delay, static_cast<std::uint64_t>(c.delay[node]));
  for (NodeId id = 0; id < c.graph.size(); ++id) {
    const MachineNode& n = c.graph[id];
    if (!takes_part(c, n, rank)) continue;
    t.nodes.add_node(id, n.type, "n");
    t.nodes.add_data_dep(delay);
    for (const NodeId p : n.parents) {
      if (takes_part(c, c.graph[p], rank)) t.nodes.add_data_dep(p);
    }
    if (n.type == NodeType::comp) {
      t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(n.value);
      t.nodes.add_bool(attr::is_cpu_op, n.cpu);
    } else {
      t.nodes.add_int(attr::comm_size, Kind::int64_val, n.value);
    }
    if (n.type == NodeType::comm_send || n.type == NodeType::comm_recv)
      t.nodes.add_int(attr::comm_tag, Kind::int32_val, n.value % 7);
    if (n.type == NodeType::comm_send)
      t.nodes.add_int(attr::comm_dst, Kind::int32_val, at(gpu + n.gpus_on, node + n.nodes_on));
    if (n.type == NodeType::comm_recv)
      t.nodes.add_int(attr::comm_src, Kind::int32_val, at(gpu + c.gpus - n.gpus_on, node + c.nodes - n.nodes_on));
    if (n.type == NodeType::comm_coll) {
      t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(n.op));
      if (const std::size_t group = group_of(c, n.reach, rank); group != 0)
        t.nodes.add_string(attr::pg_name, std::to_string(group));
    }
    t.nodes.end_node();
  }
  return t;
}

struct MachineOutcome {
  std::string text;  // all reports
  std::size_t classes = 0;
  Picoseconds total = 0;
};

MachineOutcome run_case(const MachineCase& c, ReplayOptions options, bool symmetry) {
  options.symmetry = symmetry;
  options.network.model = NetworkModel::fair;
  auto system = std::make_shared<ReplaySystem>();
  for (const std::vector<Rank>& group : groups_of(c))
    system->groups.push_back({.id = static_cast<std::int64_t>(system->groups.size()) + 1, .ranks = group});
  options.system = system;
  std::vector<Trace> traces;
  for (Rank r = 0; r < c.gpus * c.nodes; ++r) traces.push_back(trace_of(c, r));
  Diagnostics diagnostics;
  const auto result = test::replay_traces(traces, c.network, options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  MachineOutcome out{.text = {}, .classes = result->classes, .total = result->total_ps};
  append_json(*result, out.text);
  if (const std::size_t line = out.text.find(" \"symmetry\":"); line != std::string::npos)
    out.text.erase(line, out.text.find('\n', line) + 1 - line);
  append_csv(*result, out.text);
  append_csv(*result, out.text, {.part = ReportPart::collectives});
  return out;
}

TEST(SymmetryOfMachines, GivesWhatAllRanksGive) {
  int symmetric = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(2000U); ++seed) {
    const MachineCase c = random_case(seed);
    ReplayOptions options;
    const auto calls = [](const MachineNode& n) { return n.type == NodeType::comm_coll; };
    const bool is_algorithm = seed % 2 == 0 && std::ranges::none_of(c.graph, calls);
    options.issue = is_algorithm ? IssueMode::algorithm : IssueMode::workload;
    for (const bool half : {false, true}) {
      const MachineOutcome with = run_case(c, options, true);
      const MachineOutcome without = run_case(c, options, false);
      ASSERT_EQ(with.text, without.text) << "seed " << seed << (half ? ", half of it" : "");
      symmetric += with.classes != 0 ? 1 : 0;
      several += with.classes > 1 ? 1 : 0;
      options.until = without.total / 2;
    }
  }
  std::cout << "with symmetry: " << symmetric << " of 4000, with several classes " << several << "\n";
  EXPECT_GE(symmetric, test::rounds(1500));
  EXPECT_GE(several, test::rounds(100));
}

}  // namespace
}  // namespace convert::test
