// SPDX-License-Identifier: MIT
#include "config/network/imports/import.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/expect_error.h"
#include "common/source_dir.h"
#include "config/network/network.h"
#include "config/network/wire_list.h"

namespace convert {
namespace {

NetworkConfig parse(const std::string& text, const std::string& options = {}) {
  return parse_network("n", text, split_file_argument("n" + options));
}
std::string parse_error(const std::string& text, const std::string& options = {}) {
  return test::error_text([&] { (void)parse(text, options); }, Error::Kind::input);
}
std::string parse_usage(const std::string& text, const std::string& options) {
  return test::error_message([&] { (void)parse(text, options); }, Error::Kind::usage);
}

std::string sample(const std::string& name) {
  std::ifstream in(test::source_dir() / "testdata" / "networks" / name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// "npu0>leaf0 50 500000": links by name, sorted, with GB/s and ps.
std::vector<std::string> links_of(const WireGraph& g) {
  std::vector<std::string> links;
  for (const GraphWire& w : g.wires) {
    std::ostringstream line;
    line << g.device_name(w.from) << '>' << g.device_name(w.to) << ' ' << w.bytes_per_ns << ' ' << w.latency_ps;
    links.push_back(line.str());
  }
  std::ranges::sort(links);
  return links;
}

using Lines = std::vector<std::string>;

TEST(NetworkFiles, AreTakenApart) {
  const FileArgument plain = split_file_argument("a,b.xml");
  EXPECT_EQ(plain.path, "a,b.xml");
  EXPECT_TRUE(plain.options.empty());
  const FileArgument file = split_file_argument("d/a,b.xml,hosts=4,lat=nvlink:1ns,net:2us,fabric=rail");
  EXPECT_EQ(file.path, "d/a,b.xml");
  EXPECT_EQ(file.get("lat"), "nvlink:1ns,net:2us");
  EXPECT_EQ(file.whole("hosts", 1, 9, 1), 4);
  EXPECT_EQ(file.choice("fabric", {"none", "rail"}), 1U);
  EXPECT_EQ(file.get("x"), std::nullopt);
  EXPECT_EQ(split_file_argument("-,hosts=2").path, "-");
  EXPECT_EQ(split_file_argument(",hosts=2").path, ",hosts=2");
  const auto usage = [](auto use) { return test::error_message(use, Error::Kind::usage); };
  EXPECT_EQ(usage([] { (void)split_file_argument("f,a=1,a=2").get("a"); }), "network 'f': a is repeated");
  EXPECT_EQ(usage([] {
              split_file_argument("f,host=1").check_keys({"hosts", "lat"}, "x");
            }),
            "network 'f': unknown key 'host'; did you mean hosts?");
  EXPECT_EQ(usage([] { (void)split_file_argument("f,a=x").whole("a", 1, 5, 1); }),
            "network 'f': a requires a whole number from 1 to 5, not 'x'");
  EXPECT_EQ(usage([] {
              (void)split_file_argument("f,a=rial").choice("a", {"none", "rail"});
            }),
            "network 'f': a must be one of none, rail, not 'rial'; did you mean rail?");
}

TEST(NetworkFiles, ThatHaveSuchANameWin) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "etkit_network,hosts=2";
  std::ofstream(path) << "npus: 2\n";
  EXPECT_EQ(split_file_argument(path.string()).path, path.string());
  std::filesystem::remove(path);
}

TEST(NetworkImports, TakeNoOptionsThatTheyHaveNot) {
  EXPECT_EQ(parse_usage("npus: 2\nlinks: [{between: [0, 1], bandwidth: 1GB/s}]\n", ",hosts=2"),
            "network 'n': unknown key 'hosts'; a list of links or of dimensions has no options");
  EXPECT_EQ(parse_usage(sample("star_links.tsv"), ",hosts=2"),
            "network 'n': unknown key 'hosts'; a table of links has no options");
  EXPECT_EQ(parse_usage(sample("pair_nccl.xml"), ",host=2"),
            "network 'n': unknown key 'host'; did you mean hosts?");
}

TEST(NetworkImports, SayWhatHoldsNoNetwork) {
  EXPECT_NE(parse_error("<graphs version=\"1\"/>").find("n: is an NCCL graph file"), std::string::npos);
  EXPECT_NE(
      parse_error("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology/>").find("hwloc"),
      std::string::npos);
  EXPECT_EQ(parse_error("<!-- x --><svg/>"),
            "n: is XML with root <svg>; the only XML network is a topology of NCCL, with root <system>");
  EXPECT_EQ(parse_error("{\n  \"logical-dims\": [\"8\"]\n}"),
            "n: contains only the logical dimensions; use the physical topology file");
  EXPECT_NE(parse_error("{\"name\": \"a\", \"node_invbws_list\": []}").find("TACCL"), std::string::npos);
  EXPECT_NE(parse_error("{\"TopologyParams\": {}}").find("TE-CCL"), std::string::npos);
  EXPECT_NE(parse_error("infrastructure:\n  devices: []\n").find("annotated graph of InfraGraph"),
            std::string::npos);
  EXPECT_NE(parse_error(R"({"directed": false, "nodes": [{"id": "h.0.xpu.0"}], "edges": [{"source": "h.0.xpu.0",
    "target": "s.0.sw.0"}]})")
                .find("graph of networkx"),
            std::string::npos);
  const std::string smi = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV2\t0-19\nGPU1\tNV2\t X \t0-19\n";
  EXPECT_NE(parse_error(smi).find("nvidia-smi topo -m"), std::string::npos);
  EXPECT_NE(parse_error("\x1b[4m" + smi).find("nvidia-smi topo -m"), std::string::npos);
  EXPECT_NE(parse_error("==== ROCm System Management Interface ====\n").find("rocm-smi"), std::string::npos);
  EXPECT_NE(parse_error(R"({"name": "a", "gpus": [{"id": 0, "threadblocks": []}]})").find("MSCCL++"),
            std::string::npos);
  EXPECT_NE(parse_error("devices:\n  - name: a\n    connections: []\n").find("InfraGraph 1"), std::string::npos);
  EXPECT_NE(
      parse_error("devices:\n  - name: a\n    components:\n      - {name: x, type: xpu}\n").find("InfraGraph 1"),
      std::string::npos);
  EXPECT_NE(parse_error("Nodes 8\nTiers 3\n").find("htsim"), std::string::npos);
}

TEST(LinkTables, AreRead) {
  const WireGraph g = parse(sample("star_links.tsv")).graph;
  EXPECT_EQ(g.npus, 4U);
  EXPECT_EQ(g.participants, (std::vector<Device>{0, 2, 3}));
  EXPECT_EQ(links_of(g), (Lines{"npu0>switch0 50 500000", "npu1>switch0 50 500000", "npu2>switch0 50 500000",
                                "npu3>switch0 50 500000", "switch0>npu0 25 500250", "switch0>npu1 25 500250",
                                "switch0>npu2 25 500250", "switch0>npu3 25 500250"}));
  const std::string head = "#npus\t2\r\nfrom\tto\tbandwidth_MBps\tlatency_ns\r\n";
  EXPECT_EQ(parse(head + "0\t1\t1\t0\r\n1\t0\t1\t0").graph.wires.size(), 2U);
}

TEST(LinkTables, LocateErrors) {
  const std::string header = "from\tto\tbandwidth_MBps\tlatency_ns\n";
  const std::string head = "#npus\t2\n" + header;
  EXPECT_EQ(parse_error("#npus\t2\n"),
            "n:1:1: the file ends before its header 'from to bandwidth_MBps latency_ns'");
  EXPECT_EQ(parse_error("#npus\t2\n#x\t1\n"), "n:2:1: unknown line '#x'; known: #npus, #switches, #participants");
  EXPECT_EQ(parse_error("#npus\tx\n"), "n:1:7: #npus requires a whole number, not 'x'");
  EXPECT_EQ(parse_error("#npus\t-2\n"), "n:1:7: #npus requires a whole number, not '-2'");
  EXPECT_EQ(parse_error("#npus\t2\na\tb\n"),
            "n:2:1: the header must be 'from to bandwidth_MBps latency_ns', separated by tabs");
  EXPECT_EQ(parse_error("#npus\t1\n" + header), "n:1:1: a network requires at least two NPUs, not 1");
  EXPECT_EQ(parse_error("#npus\t1000000000\n" + header), "n:1:1: 1000000000 NPUs; the limit is 16777216");
  EXPECT_EQ(parse_error("#npus\t2\n#switches\t4000000000\n" + header),
            "n:1:1: 4000000000 switches; the limit is 2^20");
  EXPECT_EQ(parse_error("#npus\t2\n#participants\t0,2\n" + header),
            "n:2: #participants: '2' is not an NPU from 0 to 1, or 'all'");
  EXPECT_EQ(parse_error("#npus\t2\n#participants\t0,0\n" + header), "n:2: #participants: NPU 0 is repeated");
  EXPECT_EQ(parse_error(head + "0\t1\t1\n"),
            "n:3:1: a link requires four numbers separated by tabs: from, to, MB/s, ns");
  EXPECT_EQ(parse_error(head + "0\t1\t1\t1\t1\n"),
            "n:3:1: a link requires four numbers separated by tabs: from, to, MB/s, ns");
  EXPECT_EQ(parse_error(head + "0\t2\t1\t1\n"), "n:3:3: '2' is not a device from 0 to 1: NPUs, then switches");
  for (const std::string bad : {"nan", "-1", "0", "inf", "x", ""})
    EXPECT_EQ(parse_error(head + "0\t1\t" + bad + "\t1\n"),
              "n:3:5: bandwidth requires a positive number of MB/s, not '" + bad + "'");
  EXPECT_EQ(parse_error(head + "0\t1\t1\t-1\n"),
            "n:3:7: latency requires a non-negative number of ns in whole picoseconds, not '-1'");
  EXPECT_EQ(parse_error(head + "0\t1\t1\t1\n0\t1\t1\t1\n"), "n:4:1: a second link from npu0 to npu1");
  EXPECT_EQ(parse_error(head + "0\t0\t1\t1\n"), "n:3:1: a link from npu0 to itself");
  EXPECT_EQ(parse_error(head + "0\t1\t1\t1\n"), "n:1:1: there is no route from npu1 to npu0");
}

TEST(Ns3Topologies, AreRead) {
  const NetworkConfig c = parse(sample("leaves_ns3.txt"));
  EXPECT_TRUE(c.notes.empty());
  EXPECT_EQ(links_of(c.graph), (Lines{"npu0>switch0 50 500000", "npu1>switch0 50 500000", "npu2>switch1 50 500000",
                                      "npu3>switch1 50 500000", "switch0>npu0 50 500000", "switch0>npu1 50 500000",
                                      "switch0>switch1 100 1000000", "switch1>npu2 50 500000",
                                      "switch1>npu3 50 500000", "switch1>switch0 100 1000000"}));
  const WireGraph simai = parse(sample("pairs_simai.txt")).graph;
  EXPECT_EQ(simai.npus, 4U);
  EXPECT_EQ(simai.switches, 3U);
  EXPECT_EQ(simai.wires[0], (GraphWire{.from = 0, .to = 4, .bytes_per_ns = 360, .latency_ps = 25'000}));
  EXPECT_EQ(parse("7 2 2 1 8 H100 2\n4 5 6\n" + sample("pairs_simai.txt").substr(21)).graph.wires, simai.wires);
  // Switches first, as in HPCC's own files, and words after the links.
  const NetworkConfig hpcc =
      parse("3 1 2\n0\n0 1 100Gbps 0.001ms 0\n0 2 100Gbps 0.001ms 0.5\n\nFirst line: nodes\n");
  EXPECT_EQ(hpcc.graph.wires[0].from, 2U);
  EXPECT_EQ(hpcc.notes, (Lines{"1 link with an error rate: losses are not simulated",
                               "line 6 and later lines are ignored: they are not links"}));
  const NetworkConfig more = parse("2 0 1\n0 1 1Gbps 1ns 0\n1 0 1Gbps 1ns 0\n");
  EXPECT_EQ(more.graph.wires.size(), 2U);
  EXPECT_EQ(more.notes, (Lines{"line 3 and later lines are ignored: the first line states 1 link"}));
  const NetworkConfig twice = parse("2 0 2\n0 1 8Mbps 1ns 0 1 0 8bps 2us 0");
  EXPECT_EQ(twice.graph.wires[0].bytes_per_ns, 0.001 + 1e-9);
  EXPECT_EQ(twice.graph.wires[0].latency_ps, 1000);
  EXPECT_EQ(twice.notes.size(), 1U);
}

TEST(Ns3Topologies, LocateErrors) {
  EXPECT_EQ(parse_error("1 2 3 4\n").substr(0, 45), "n:1:1: the first line has 4 words; ns-3's top");
  EXPECT_EQ(parse_error("1 2 0\n"), "n:1:5: 2 switches among 1 node");
  EXPECT_EQ(parse_error("1000000000 0 1\n"), "n:1: 1000000000 NPUs; the limit is 16777216");
  EXPECT_EQ(parse_error("1000000000 999999998 1\n"), "n:1: 999999998 switches; the limit is 2^20");
  EXPECT_EQ(parse_error("2 -1 1\n"), "n:1:3: the count of switches: expected a whole number, not '-1'");
  EXPECT_EQ(parse_error("3 1 1\n7\n"), "n:2:1: node 7 is not one of the 3 nodes of the first line");
  EXPECT_EQ(parse_error("4 2 1\n3 3\n"), "n:2:3: switch 3 is repeated");
  EXPECT_EQ(parse_error("2 0 4000000000\n0 1 1Gbps 1ns 0\n"),
            "n:3:1: the file ends before the links (4000000000 by the first line)");
  EXPECT_EQ(parse_error("2 0 1\n0 1 1Gbps"), "n:2:10: the file ends before the delay of link 1 of 1");
  EXPECT_EQ(parse_error("2 0 1\n0 1 nanGbps 1ns 0\n"), "n:2:5: expected a rate such as 400Gbps, not 'nanGbps'");
  EXPECT_EQ(parse_error("2 0 1\n0 1 -1Gbps 1ns 0\n"), "n:2:5: expected a rate such as 400Gbps, not '-1Gbps'");
  EXPECT_EQ(parse_error("2 0 1\n0 1 1Gbps 1 0\n"), "n:2:11: expected a delay such as 0.0005ms, not '1'");
  EXPECT_EQ(parse_error("2 0 1\n0 1 1Gbps 1ns 2\n"), "n:2:15: expected an error rate from 0 to 1, not '2'");
  EXPECT_EQ(parse_error("2 0 1\n0 0 1Gbps 1ns 0\n"), "n:2:1: a link from npu0 to itself");
  EXPECT_EQ(parse_error("3 0 1\n0 1 1Gbps 1ns 0\n"), "n:1: there is no route from npu0 to npu2");
}

// Bandwidths are written with six digits.
double six_digits(double rate) {
  const double scale = std::pow(10, 5 - std::floor(std::log10(rate)));
  return std::round(rate * scale) / scale;
}

TEST(WrittenWireLists, AreReadAsTheyWere) {
  const auto round = [](const WireGraph& graph) {
    std::string text;
    append_wire_list(graph, text);
    const WireGraph again = parse(text).graph;
    EXPECT_EQ(again.participants, graph.participants);
    const auto sorted = [](const WireGraph& g) {
      std::vector<std::tuple<std::string, std::string, double, Picoseconds, std::uint32_t>> all;
      for (const GraphWire& w : g.wires)
        all.emplace_back(g.device_name(w.from), g.device_name(w.to), six_digits(w.bytes_per_ns), w.latency_ps,
                         w.weight);
      std::ranges::sort(all);
      return all;
    };
    EXPECT_EQ(sorted(again), sorted(graph)) << text;
    return text;
  };
  for (const char* network : {"ring:5,bw=0.3GB/s,lat=7ps", "torus:3x2x2,bw=50GiB/s|1Tbit/s|7B/s,lat=1us|2us|3ns",
                              "tree:2x3,bw=4GB/s|1GB/s", "fully_connected:20,bw=1GB/s",
                              "switch:4,bw=1GB/s+mesh:3,bw=333MB/s", "hypercube:16,bw=46GiB/s"})
    round(build_wire_graph(parse_short_network(network)));
  round(build_wire_graph(parse(
      "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 0.001, 25.7 ]\nlatency: [ 5.5, 1e3 ]\n")));
  for (const char* file :
       {"star_links.tsv", "leaves_ns3.txt", "pairs_simai.txt", "pair_nccl.xml", "two_racks_infragraph.json"})
    round(parse(sample(file)).graph);
  round(parse(sample("pair_nccl.xml"), ",hosts=3,fabric=leaf-spine,leaf=2,over=3,rates=nominal").graph);
  EXPECT_EQ(round(build_wire_graph(parse_short_network("fully_connected:4,bw=1GB/s,lat=1.5ns"))),
            "npus: 4\ndefaults: { bandwidth: 1GB/s, latency: 1500ps }\nlinks:\n  - { between: [ 0, [ 1..3 ] ] }\n"
            "  - { between: [ 1, [ 2..3 ] ] }\n  - { between: [ 2, 3 ] }\n");
  // A switch without a link is not listed.
  EXPECT_EQ(
      round(parse("#npus\t2\n#switches\t1\nfrom\tto\tbandwidth_MBps\tlatency_ns\n0\t1\t1\t0\n1\t0\t2\t0\n").graph),
      "npus: 2\ndefaults: { bandwidth: 0.001GB/s, latency: 0ns }\nlinks:\n  - { from: 0, to: 1 }\n"
      "  - { from: 1, to: 0, bandwidth: 0.002GB/s }\n");
}

}  // namespace
}  // namespace convert
