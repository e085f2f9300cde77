// SPDX-License-Identifier: MIT
// Networks of other tools: files of the corpus compared with independent lists of their links.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "config/nccl_graphs.h"
#include "config/network/imports/import.h"
#include "config/network/imports/nccl_machine.h"
#include "config/network/network.h"
#include "config/network/routes.h"
#include "config/network/wire_list.h"
#include "corpus.h"
#include "sets/schedules.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Links by name, to compare graphs with different device numbers.
using Named = std::map<std::pair<std::string, std::string>, std::tuple<double, Picoseconds, std::uint32_t>>;
Named named(const WireGraph& g) {
  Named all;
  for (const GraphWire& w : g.wires)
    all[{g.device_name(w.from), g.device_name(w.to)}] = {w.bytes_per_ns, w.latency_ps, w.weight};
  return all;
}

// A written graph is read back unchanged.
void expect_round_trip(const WireGraph& graph, const std::string& what) {
  std::string text;
  append_wire_list(graph, text);
  const WireGraph again = parse_network_yaml("again.yml", text).graph;
  EXPECT_EQ(again.npus, graph.npus) << what;
  EXPECT_EQ(again.participants, graph.participants) << what;
  EXPECT_EQ(named(again), named(graph)) << what;
}

std::string name_of_kind(NcclDeviceKind kind) {
  switch (kind) {
    case NcclDeviceKind::gpu: return "gpu";
    case NcclDeviceKind::nvswitch: return "nvs";
    case NcclDeviceKind::cpu: return "cpu";
    case NcclDeviceKind::pci: return "pci";
    case NcclDeviceKind::nic: return "nic";
    case NcclDeviceKind::net: return "net";
  }
  return "";
}

// "pci0000_01_00.0" is "pci@0000:01:00.0" in the reference.
std::string reference_name(const NcclDevice& d) {
  if (d.kind == NcclDeviceKind::nvswitch) return "nvswitch0";
  if (d.kind != NcclDeviceKind::pci && d.kind != NcclDeviceKind::nic) return d.name;
  std::string bus = d.name.substr(3);
  std::replace(bus.begin(), bus.end(), '_', ':');
  return d.name.substr(0, 3) + "@" + bus;
}

TEST(NetworkCorpus, TablesOfLinks) {
  REQUIRE_CORPUS();
  std::size_t files = 0;
  for (const fs::path& path : corpus::files_of(corpus::root() / "synthesis" / "topologies", ".tsv")) {
    const NetworkConfig config = find_network(path.string());
    std::istringstream in(text_of(path));
    std::string line;
    std::map<std::string, std::string> head;
    while (std::getline(in, line) && line.starts_with('#'))
      head[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
    EXPECT_EQ(config.npus(), std::stoll(head["#npus"])) << path;
    EXPECT_EQ(config.graph.switches, std::stoul(head["#switches"])) << path;
    const bool all = head["#participants"] == "all";
    EXPECT_EQ(config.graph.participants.size(), all ? 0 : corpus::split(head["#participants"], ',').size()) << path;
    std::size_t i = 0;
    for (; std::getline(in, line); ++i) {
      const std::vector<std::string> cells = corpus::split(line, '\t');
      const GraphWire expected{.from = static_cast<Device>(std::stoul(cells[0])),
                               .to = static_cast<Device>(std::stoul(cells[1])),
                               .bytes_per_ns = std::stod(cells[2]) / 1000,
                               .latency_ps = std::stoll(cells[3]) * 1000};
      ASSERT_LT(i, config.graph.wires.size()) << path;
      EXPECT_EQ(config.graph.wires[i], expected) << path;
    }
    EXPECT_EQ(i, config.graph.wires.size()) << path;
    expect_round_trip(config.graph, path.string());
    ++files;
  }
  EXPECT_EQ(files, 52U);
}

TEST(NetworkCorpus, NcclMachine) {
  REQUIRE_CORPUS();
  const fs::path folder = corpus::root() / "topologies";
  const NcclMachine machine = read_nccl_machine("dgx", text_of(folder / "dgx_a100_nccl_topo.xml"), {});
  std::map<std::string, int> devices;
  for (const NcclDevice& d : machine.devices) ++devices[name_of_kind(d.kind)];
  EXPECT_EQ(devices, (std::map<std::string, int>{
                         {"cpu", 6}, {"gpu", 8}, {"net", 12}, {"nic", 10}, {"nvs", 1}, {"pci", 24}}));
  const std::vector<std::string> kinds = {"NVL", "C2C", "PCI", "SYS", "NET"};
  std::map<std::string, int> links;
  std::set<std::tuple<std::string, std::string, std::string, double>> found;
  for (const NcclLink& l : machine.links) {
    const std::string& kind = kinds.at(static_cast<std::size_t>(l.kind));
    ++links[kind];
    found.emplace(reference_name(machine.devices[l.from]), reference_name(machine.devices[l.to]), kind,
                  l.bytes_per_ns);
  }
  EXPECT_EQ(links, (std::map<std::string, int>{{"NET", 24}, {"NVL", 16}, {"PCI", 84}, {"SYS", 30}}));
  std::set<std::tuple<std::string, std::string, std::string, double>> expected;
  std::istringstream in(text_of(folder / "dgx_a100.links.tsv"));
  std::string line;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = corpus::split(line, '\t');
    if (line.starts_with('#') || cells.size() != 4 || cells[0] == "from") continue;
    expected.emplace(cells[0], cells[1], cells[2], std::stod(cells[3]));
  }
  EXPECT_EQ(expected.size(), 154U);
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(machine.notes.empty());
}

TEST(NetworkCorpus, NcclHosts) {
  REQUIRE_CORPUS();
  const std::string file = (corpus::root() / "topologies" / "dgx_a100_nccl_topo.xml").string();
  const NetworkConfig one = find_network(file);
  EXPECT_EQ(one.npus(), 8);
  for (Device a = 0; a < 8; ++a) {
    const auto router = make_router(one);
    Position p{.at = a, .dst = (a + 1) % 8};
    const Hop up = router->step(p);
    EXPECT_EQ(router->device_name(p.at), "nvswitch0");
    const Hop down = router->step(p);
    EXPECT_EQ(p.at, p.dst);
    EXPECT_EQ(up.bytes_per_ns, 240.0);
    EXPECT_EQ(down.bytes_per_ns, 240.0);
  }
  expect_round_trip(one.graph, "one host");
  for (const int hosts : {1, 2, 4}) {
    const NetworkConfig rails = find_network(file + ",fabric=rail,lat=net:2us,hosts=" + std::to_string(hosts));
    EXPECT_EQ(rails.npus(), 8 * hosts);
    // A host has 53 switches; there are 12 rails.
    EXPECT_EQ(rails.graph.switches, static_cast<std::uint32_t>(53 * hosts + 12)) << hosts;
    EXPECT_EQ(rails.graph.wires.size(), static_cast<std::size_t>((154 + 24) * hosts)) << hosts;
    expect_round_trip(rails.graph, std::to_string(hosts) + " hosts");
    if (hosts == 1) continue;
    const auto router = make_router(rails);
    Position p{.at = 0, .dst = 8};
    double slowest = 1e9;
    std::vector<std::string> way;
    while (p.at != p.dst) {
      slowest = std::min(slowest, router->step(p).bytes_per_ns);
      way.push_back(router->device_name(p.at));
    }
    // The route uses the network card below the same bridges.
    EXPECT_NE(std::find(way.begin(), way.end(), "rail0"), way.end());
    EXPECT_EQ(std::count_if(way.begin(), way.end(),
                            [](const std::string& d) { return d.find("cpu") != std::string::npos; }),
              0);
    EXPECT_EQ(slowest, 24.0);
  }
}

TEST(NetworkCorpus, InfraGraph) {
  REQUIRE_CORPUS();
  const fs::path folder = corpus::root() / "topologies";
  const NetworkConfig config = find_network((folder / "two_hosts.json").string());
  EXPECT_EQ(config.npus(), 8);
  EXPECT_EQ(config.graph.devices(), 27U);
  EXPECT_EQ(config.graph.wires.size(), 64U);
  std::istringstream in(text_of(folder / "two_hosts.edges.tsv"));
  std::string line;
  std::map<std::string, std::string> npus;
  Named expected;
  const auto name = [&](const std::string& node) { return npus.contains(node) ? npus[node] : node; };
  while (std::getline(in, line)) {
    if (line.starts_with("#npus")) {
      const std::vector<std::string> words = corpus::split(line, ' ');
      for (std::size_t i = 2; i < words.size(); ++i) npus[words[i]] = "npu" + std::to_string(i - 2);
    }
    const std::vector<std::string> cells = corpus::split(line, '\t');
    if (cells.size() != 4 || cells[0] == "a") continue;
    const std::tuple<double, Picoseconds, std::uint32_t> terms = {std::stod(cells[2]), std::stoll(cells[3]) * 1000,
                                                                  1};
    expected[{name(cells[0]), name(cells[1])}] = terms;
    expected[{name(cells[1]), name(cells[0])}] = terms;
  }
  EXPECT_EQ(npus.size(), 8U);
  EXPECT_EQ(named(config.graph), expected);
  expect_round_trip(config.graph, "InfraGraph");
}

TEST(NetworkCorpus, GraphFilesOfNcclHoldRings) {
  REQUIRE_CORPUS();
  const fs::path file = corpus::root() / "topologies/graph_4gpus.xml";
  const auto graphs = read_nccl_graphs(file.string(), text_of(file));
  ASSERT_EQ(graphs.size(), 3U);
  EXPECT_EQ(pattern_name(graphs[1]) + ", " + pattern_name(graphs[2]), "balanced tree, NVLS");
  ASSERT_TRUE(graphs[0].is_ring());
  const std::vector<std::vector<std::int32_t>> rings = {{0, 1, 2, 3}, {0, 3, 2, 1}};
  EXPECT_EQ(rings_of_hosts(graphs[0], 1), rings);
}

}  // namespace
