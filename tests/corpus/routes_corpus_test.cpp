// SPDX-License-Identifier: MIT
// Public topologies with routes of equal cost, and incomplete topology files, compared with times computed by hand
// and from the loads of links (by a program in the corpus).
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "collectives/collective.h"
#include "common/expect_error.h"
#include "common/replay_traces.h"
#include "config/nccl_graphs.h"
#include "corpus/corpus.h"
#include "sets/schedules.h"
#include "unit/passes/lowered.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

constexpr std::int64_t mebi = std::int64_t{1} << 20U;

fs::path wild() { return corpus::root() / "wild" / "collectives"; }

std::string file_text(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

ReplayResult replayed(const std::string& network, const Algorithm& algorithm, std::int64_t size,
                      std::optional<Multipath> multipath = {}) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.multipath = multipath;
  options.network.count_wires = true;
  Diagnostics diagnostics;
  auto result = test::replay_traces(test::lower(algorithm, size), find_network(network), options, diagnostics);
  if (!result) throw std::runtime_error(diagnostics.all().front().message);
  return std::move(*result);
}
double ms(const ReplayResult& result) { return static_cast<double>(result.total_ps) / 1e9; }

Algorithm built(Collective collective, const std::string& algorithm, std::int32_t ranks) {
  return build_collective({.collective = collective, .algorithm = algorithm, .ranks = ranks});
}

TEST(RoutesCorpus, MessagesAreSplitOverEqualRoutes) {
  REQUIRE_CORPUS();
  const fs::path folder = wild() / "equal-ways";
  const Algorithm a2a = built(Collective::all_to_all, "direct", 16);
  EXPECT_NEAR(ms(replayed((folder / "leafspine4.txt").string(), a2a, 256 * mebi)), 20.13, 0.02);
  EXPECT_NEAR(ms(replayed((folder / "leafspine1fat.txt").string(), a2a, 256 * mebi)), 20.1367, 0.001);
  EXPECT_NEAR(ms(replayed((folder / "leafspine4.txt").string(), a2a, 256 * mebi, Multipath::single)), 44.2959,
              0.001);
  const ReplayResult tree =
      replayed((wild() / "files/hpcc/fat.txt").string(), built(Collective::all_to_all, "direct", 320), 40 * mebi);
  EXPECT_NEAR(ms(tree), 3.345, 0.05 * 3.345);
  EXPECT_EQ(tree.spread->multipath, Multipath::split);
  const Algorithm ring = built(Collective::all_reduce, "ring", 8);
  EXPECT_NEAR(ms(replayed((folder / "simai60-4nvswitch.txt").string(), ring, 1024 * mebi)), 4.176, 0.005);
  EXPECT_NEAR(ms(replayed((folder / "simai60-1nvswitch.txt").string(), ring, 1024 * mebi)), 4.176, 0.005);
  EXPECT_NEAR(ms(replayed((folder / "two-ports.xml").string() + ",hosts=2,fabric=rail,lat=net:2us",
                          built(Collective::all_gather, "ring", 2), 256 * mebi)),
              5.6, 0.1);
}

TEST(RoutesCorpus, EachLinkOfATieCarriesItsShare) {
  REQUIRE_CORPUS();
  const ReplayResult r = replayed((wild() / "equal-ways/leafspine4.txt").string(),
                                  built(Collective::all_to_all, "direct", 16), 256 * mebi);
  std::map<std::int64_t, int> bytes;
  for (const WireUse& w : r.wires) ++bytes[w.bytes / mebi];
  // 15 chunks of 16 MiB at each host; 64 chunks go from leaf to leaf, over four spines.
  EXPECT_EQ(bytes, (std::map<std::int64_t, int>{{240, 32}, {256, 16}}));
}

TEST(RoutesCorpus, ABoxWithTwoNicsUsesBoth) {
  REQUIRE_CORPUS();
  const fs::path folder = wild() / "several-nics-per-gpu";
  const auto graphs = read_nccl_graphs("graph.xml", file_text(folder / "graph.xml"));
  CollectiveRequest request{.collective = Collective::all_gather, .algorithm = "graph", .ranks = 2};
  const Algorithm rings = build_on_rings(request, rings_of_hosts(graphs.at(0), 2));
  EXPECT_NEAR(ms(replayed((folder / "topo.xml").string() + ",hosts=2,fabric=rail,lat=net:2us", rings, 1024 * mebi)),
              22.37, 0.05);
}

TEST(RoutesCorpus, TopologiesOfRcclAreRead) {
  REQUIRE_CORPUS();
  int files = 0;
  for (const fs::path& path : corpus::files_of(wild() / "files/rccl_topo", ".xml")) {
    EXPECT_GE(find_network(path.string()).npus(), 2) << path;
    ++files;
  }
  EXPECT_EQ(files, 57);
  const auto rate = [](const fs::path& path) {
    const NetworkConfig config = find_network(path.string());
    for (const GraphWire& w : config.graph.wires) {
      if (w.from == 0 && w.to == 1) return w.bytes_per_ns;
    }
    return 0.0;
  };
  EXPECT_EQ(rate(wild() / "rccl-dup-busid/bridges.xml"), 24.0);
  EXPECT_EQ(rate(wild() / "rccl-dup-busid/bridge-and-nic.xml"), 144.0);
}

TEST(RoutesCorpus, TopologiesOfHpccAreRead) {
  REQUIRE_CORPUS();
  for (const char* const file : {"more-links.txt", "prose.txt"}) {
    const NetworkConfig config = find_network((wild() / "hpcc-trailing" / file).string());
    EXPECT_EQ(config.npus(), 3);
    EXPECT_EQ(config.graph.wires.size(), 6U);
    EXPECT_EQ(config.graph.wires[0].bytes_per_ns, 12.5);
    EXPECT_EQ(config.notes.size(), 1U);
  }
  EXPECT_EQ(find_network((wild() / "files/hpcc/topology.txt").string()).npus(), 65);
}

std::string notes_of(const fs::path& path) {
  std::string notes;
  for (const std::string& note : find_network(path.string()).notes) notes += note + '\n';
  return notes;
}

TEST(RoutesCorpus, GpusWithoutNvlinkAreNoted) {
  REQUIRE_CORPUS();
  EXPECT_EQ(notes_of(wild() / "gb300-missing-nvlink/missing.xml"),
            "rank 5 has no <nvlink>, unlike 7 other GPUs of sm 103: messages use C2C\n");
  EXPECT_EQ(notes_of(wild() / "gb300-missing-nvlink/count0.xml"),
            "rank 5 has no <nvlink> to another device, unlike 7 other GPUs of sm 103: messages use C2C\n");
  EXPECT_EQ(notes_of(wild() / "gb300-missing-nvlink/healthy.xml"), "");
  EXPECT_NE(notes_of(wild() / "p5-no-nvlink/topology_p5.48xl-topo.xml").find("8 GPUs of sm 90 have no <nvlink>"),
            std::string::npos);
  for (const char* const file : {"mixed.xml", "plain.xml", "virtual.xml"})
    EXPECT_EQ(notes_of(wild() / "nccl1182" / file).find("NVLink"), std::string::npos) << file;
  for (const fs::path& path : corpus::files_of(wild() / "files/rccl_topo", ".xml"))
    EXPECT_EQ(notes_of(path).find(" other GPUs"), std::string::npos) << path;
}

TEST(RoutesCorpus, OtherFilesAreNamed) {
  REQUIRE_CORPUS();
  const auto refusal = [](const std::string& file) {
    return test::error_message([&] { (void)find_network((wild() / "otherfmt" / file).string()); },
                               Error::Kind::input);
  };
  EXPECT_NE(refusal("smi.txt").find("nvidia-smi topo -m"), std::string::npos);
  EXPECT_NE(refusal("mscclpp.json").find("MSCCL++"), std::string::npos);
  EXPECT_NE(refusal("hwloc.xml").find("hwloc"), std::string::npos);
  EXPECT_NE(refusal("taccl-topo.json").find("TACCL"), std::string::npos);
}

}  // namespace
