// SPDX-License-Identifier: MIT
// The task graphs of the corpus compared with a line-by-line reading of their text: times, messages, dependencies.
// They are valid and can be replayed; both dialects give the same traces.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/replay_traces.h"
#include "config/network/network.h"
#include "corpus.h"
#include "sets/check.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

const std::vector<std::string> chakra_graphs = {"chakra_l4_n4_data.dot", "chakra_l12_n16_data.dot",
                                                "chakra_l8_n4_pipeline.dot"};
const std::vector<std::string> stock_graphs = {"stock_l4_n4_data.dot", "stock_l8_n4_pipeline.dot"};

fs::path path_of(const std::string& name) { return corpus::root() / "flexflow" / name; }

// One line of a graph in the dialect chakra, parsed independently of the reader.
struct Line {
  bool transfer = false;
  int rank = 0;  // for a transfer: the source
  int peer = -1;
  long long bytes = 0;
  double seconds = 0;
};
struct Text {
  std::map<int, Line> tasks;
  std::vector<std::pair<int, int>> edges;
  int ranks = 0;
};

Text read_text(const fs::path& path) {
  Text text;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    int a = 0, b = 0, owner = 0;
    Line t;
    char name[200], type[200];
    if (std::sscanf(line.c_str(), " node%d -> node%d;", &a, &b) == 2) {
      text.edges.emplace_back(a, b);
    } else if (std::sscanf(line.c_str(),
                           " node%d [label=\"{ npu_id=%d | %199[^|]| %199[^|]| COMP_NODE | runtime=%lf", &a,
                           &t.rank, name, type, &t.seconds) == 5) {
      text.tasks[a] = t;
    } else if (std::sscanf(
                   line.c_str(),
                   " node%d [label=\"{ npu_id=%d | %199[^|]| %199[^|]| COMM_SEND_RECV_NODE | src=%d | dst=%d "
                   "| size=%lld",
                   &a, &owner, name, type, &t.rank, &t.peer, &t.bytes) == 7) {
      t.transfer = true;
      text.tasks[a] = t;
    } else {
      EXPECT_EQ(line.find("node"), std::string::npos) << line;
    }
    text.ranks = std::max({text.ranks, t.rank + 1, t.peer + 1});
  }
  return text;
}

TraceSource open(const std::string& name, Diagnostics& diagnostics, const std::string& options = {}) {
  SourceOptions o;
  o.operands = {path_of(name).string()};
  if (!options.empty()) o.from = "flexflow," + options;
  return TraceSource(std::move(o), diagnostics);
}

std::vector<Trace> load(const std::string& name, const std::string& options = {}) {
  Diagnostics diagnostics;
  SourceOptions o;
  o.operands = {path_of(name).string()};
  if (!options.empty()) o.from = "flexflow," + options;
  TraceSource source(std::move(o), diagnostics);
  EXPECT_EQ(source.format().name, "flexflow");
  auto traces = source.load(1);
  const bool unplaced = options == "single=yes" && name.starts_with("stock");
  EXPECT_EQ(diagnostics.warnings(), unplaced ? 1U : 0U);
  EXPECT_EQ(diagnostics.errors(), 0U);
  return traces;
}

std::int64_t number(const Trace& t, const Node& n, Name name) {
  const IntValue v = int_value(t.nodes.attributes(n), name);
  return v ? v.value : -1;
}

std::int64_t nanos(const Trace& t, const Node& n) {
  const std::int64_t exact = number(t, n, attr::duration_nanos);
  return exact >= 0 ? exact : static_cast<std::int64_t>(n.duration_us) * 1000;
}

TEST(FlexflowCorpus, TimesOfEachNpu) {
  REQUIRE_CORPUS();
  for (const std::string& name : chakra_graphs) {
    SCOPED_TRACE(name);
    const Text text = read_text(path_of(name));
    std::map<int, std::int64_t> expected;
    for (const auto& [k, task] : text.tasks) expected[task.rank] += std::llround(task.seconds * 1e9);
    const auto traces = load(name);
    ASSERT_EQ(traces.size(), static_cast<std::size_t>(text.ranks));
    for (const Trace& t : traces) {
      std::int64_t sum = 0;
      for (const Node& n : t.nodes.nodes) sum += nanos(t, n);
      EXPECT_EQ(sum, expected[static_cast<int>(t.rank)]) << t.rank;
    }
  }
}

TEST(FlexflowCorpus, EachTransferIsOnePair) {
  REQUIRE_CORPUS();
  for (const std::string& name : chakra_graphs) {
    SCOPED_TRACE(name);
    const Text text = read_text(path_of(name));
    std::map<std::int64_t, std::vector<std::tuple<NodeType, std::int64_t, std::int64_t, std::int64_t>>> by_tag;
    std::map<std::int64_t, std::set<std::int64_t>> tags_of_task;
    for (const Trace& t : load(name)) {
      for (const Node& n : t.nodes.nodes) {
        if (n.type == NodeType::comp) continue;
        const std::int64_t tag = number(t, n, attr::comm_tag);
        by_tag[tag].emplace_back(n.type, number(t, n, attr::comm_src), number(t, n, attr::comm_dst),
                                 number(t, n, attr::comm_size));
        tags_of_task[number(t, n, attr::task_id)].insert(tag);
        EXPECT_EQ(number(t, n, n.type == NodeType::comm_send ? attr::comm_src : attr::comm_dst),
                  static_cast<std::int64_t>(t.rank));
      }
    }
    std::size_t transfers = 0;
    for (const auto& [k, task] : text.tasks) {
      if (!task.transfer) continue;
      ++transfers;
      ASSERT_EQ(tags_of_task[k].size(), 1U);
      auto pair = by_tag[*tags_of_task[k].begin()];
      std::sort(pair.begin(), pair.end());
      using Pair = decltype(pair);
      EXPECT_EQ(pair, (Pair{{NodeType::comm_send, task.rank, task.peer, task.bytes},
                            {NodeType::comm_recv, task.rank, task.peer, task.bytes}}));
    }
    EXPECT_EQ(by_tag.size(), transfers);
  }
}

// Returns the dependencies according to the rules for edges, as (rank, end of parent, end of child).
using End = std::pair<int, NodeType>;  // task number, and the type of its node on that rank
using Dependency = std::tuple<int, End, End>;

std::set<Dependency> expected_dependencies(const Text& text) {
  std::set<Dependency> out;
  constexpr NodeType comp = NodeType::comp, send = NodeType::comm_send, recv = NodeType::comm_recv;
  for (const auto& [from, to] : text.edges) {
    const Line& a = text.tasks.at(from);
    const Line& b = text.tasks.at(to);
    const std::size_t before = out.size();
    if (!a.transfer && !b.transfer && a.rank == b.rank) out.emplace(a.rank, End{from, comp}, End{to, comp});
    if (!a.transfer && b.transfer && a.rank == b.rank) out.emplace(a.rank, End{from, comp}, End{to, send});
    if (!a.transfer && b.transfer && a.rank == b.peer) out.emplace(a.rank, End{from, comp}, End{to, recv});
    if (a.transfer && !b.transfer && b.rank == a.peer) out.emplace(b.rank, End{from, recv}, End{to, comp});
    if (a.transfer && !b.transfer && b.rank == a.rank) out.emplace(b.rank, End{from, send}, End{to, comp});
    if (a.transfer && b.transfer && a.peer == b.rank) out.emplace(b.rank, End{from, recv}, End{to, send});
    if (a.transfer && b.transfer && a.rank == b.rank) out.emplace(b.rank, End{from, send}, End{to, send});
    if (a.transfer && b.transfer && a.peer == b.peer) out.emplace(b.peer, End{from, recv}, End{to, recv});
    EXPECT_GT(out.size(), before);
  }
  return out;
}

std::set<Dependency> dependencies(const std::vector<Trace>& traces) {
  std::set<Dependency> out;
  for (const Trace& t : traces) {
    const auto end = [&](const Node& n) { return End{static_cast<int>(number(t, n, attr::task_id)), n.type}; };
    for (const Node& n : t.nodes.nodes) {
      for (const NodeId p : t.nodes.data_deps(n)) {
        EXPECT_TRUE(out.emplace(static_cast<int>(t.rank), end(t.nodes.nodes[p]), end(n)).second);
      }
    }
  }
  return out;
}

TEST(FlexflowCorpus, Dependencies) {
  REQUIRE_CORPUS();
  for (const std::string& name : chakra_graphs) {
    EXPECT_EQ(dependencies(load(name)), expected_dependencies(read_text(path_of(name)))) << name;
  }
}

TEST(FlexflowCorpus, ValidAndReplayed) {
  REQUIRE_CORPUS();
  for (const std::string& name : chakra_graphs) {
    SCOPED_TRACE(name);
    Diagnostics findings;
    {
      TraceSource source = open(name, findings);
      EXPECT_EQ(check(source, {}, findings).ranks, static_cast<std::size_t>(read_text(path_of(name)).ranks));
    }
    for (const Diagnostic& d : findings.all()) ADD_FAILURE() << format_diagnostic(d);

    const auto traces = load(name);
    const NetworkConfig network =
        parse_short_network("ring:" + std::to_string(traces.size()) + ",bw=50GB/s,lat=500ns");
    for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware}) {
      ReplayOptions options;
      options.network.model = model;
      Diagnostics diagnostics;
      const auto result = test::replay_traces(traces, network, options, diagnostics);
      for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << format_diagnostic(d);
      ASSERT_TRUE(result);
      EXPECT_EQ(result->status, ReplayStatus::complete);
      for (const Trace& t : traces) {
        std::int64_t sum = 0;
        for (const Node& n : t.nodes.nodes) sum += nanos(t, n);
        EXPECT_EQ(result->npus[t.rank].compute_ps, sum * ps_per_ns);
      }
    }
  }
}

// A device map from the same graph in the dialect that records ranks.
std::string write_map(const std::string& chakra_name, const std::string& to) {
  std::ofstream out(to);
  for (const auto& [k, task] : read_text(path_of(chakra_name)).tasks) {
    out << k << ',' << task.rank;
    if (task.transfer) out << ',' << task.peer << ',' << task.bytes;
    out << '\n';
  }
  return to;
}

TEST(FlexflowCorpus, StockWithDeviceMapIsTheOtherDialect) {
  REQUIRE_CORPUS();
  for (const std::string& name : stock_graphs) {
    SCOPED_TRACE(name);
    const std::string chakra_name = "chakra" + name.substr(name.find('_'));
    const std::string map =
        write_map(chakra_name, (fs::temp_directory_path() / ("etkit_map_" + std::to_string(::getpid()))).string());
    const auto stock = load(name, "devices=" + map);
    const auto chakra = load(chakra_name);
    fs::remove(map);
    ASSERT_EQ(stock.size(), chakra.size());
    EXPECT_EQ(dependencies(stock), dependencies(chakra));
    for (std::size_t r = 0; r < stock.size(); ++r) {
      ASSERT_EQ(stock[r].nodes.nodes.size(), chakra[r].nodes.nodes.size());
      for (std::size_t i = 0; i < stock[r].nodes.nodes.size(); ++i) {
        const Node& a = stock[r].nodes.nodes[i];
        const Node& b = chakra[r].nodes.nodes[i];
        EXPECT_EQ(a.type, b.type);
        for (const Name key : {attr::task_id, attr::comm_src, attr::comm_dst, attr::comm_tag, attr::comm_size}) {
          EXPECT_EQ(number(stock[r], a, key), number(chakra[r], b, key)) << key.view();
        }
        // Six digits of the milliseconds since the beginning.
        if (a.type == NodeType::comp) {
          EXPECT_LE(std::abs(nanos(stock[r], a) - nanos(chakra[r], b)), 20);
        }
      }
    }
  }
}

TEST(FlexflowCorpus, OneTraceKeepsTheGraph) {
  REQUIRE_CORPUS();
  for (const auto* names : {&chakra_graphs, &stock_graphs}) {
    for (const std::string& name : *names) {
      SCOPED_TRACE(name);
      const Text text = read_text(path_of("chakra" + name.substr(name.find('_'))));
      const auto traces = load(name, "single=yes");
      ASSERT_EQ(traces.size(), 1U);
      const Trace& t = traces[0];
      EXPECT_EQ(t.nodes.nodes.size(), text.tasks.size());
      std::set<std::pair<int, int>> edges;
      const auto task = [&](const Node& n) { return static_cast<int>(number(t, n, attr::task_id)); };
      for (const Node& n : t.nodes.nodes) {
        EXPECT_EQ(n.type, NodeType::comp);
        const Line& line = text.tasks.at(task(n));
        EXPECT_EQ(find(t.nodes.attributes(n), attr::comm_task) != nullptr, line.transfer);
        if (names == &chakra_graphs) {
          EXPECT_EQ(number(t, n, attr::npu), line.transfer ? -1 : line.rank);
        }
        for (const NodeId p : t.nodes.data_deps(n)) edges.emplace(task(t.nodes.nodes[p]), task(n));
      }
      EXPECT_EQ(edges, std::set(text.edges.begin(), text.edges.end()));
    }
  }
}

}  // namespace
