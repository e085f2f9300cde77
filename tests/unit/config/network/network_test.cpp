// SPDX-License-Identifier: MIT
#include "config/network/network.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

std::string yaml(const std::string& topology, const std::string& npus, const std::string& bw,
                 const std::string& lat) {
  return "topology: " + topology + "\nnpus_count: " + npus + "\nbandwidth: " + bw + "  # GB/s\nlatency: " + lat +
         "\n";
}

std::string yaml_error(const std::string& text) {
  return test::error_text([&] { (void)parse_network_yaml("n.yml", text); }, Error::Kind::input);
}
std::string short_error(const std::string& text) {
  return test::error_text([&] { (void)parse_short_network(text); }, Error::Kind::usage).substr(2);
}

TEST(NetworkYaml, ReadsDimensions) {
  const NetworkConfig c = parse_network_yaml("n.yml", yaml("[ Ring, FullyConnected, Switch ]", "[ 2, 4, 8 ]",
                                                           "[ 250.0, 200, 5e1 ]", "[ 50.0, 0, 936.25 ]"));
  ASSERT_EQ(c.dims.size(), 3U);
  EXPECT_EQ(c.npus(), 64);
  EXPECT_FALSE(c.ideal);
  EXPECT_EQ(c.source, "n.yml");
  EXPECT_EQ(c.dims[0].topology, Topology::ring);
  EXPECT_EQ(c.dims[1].topology, Topology::fully_connected);
  EXPECT_EQ(c.dims[2].topology, Topology::switched);
  EXPECT_EQ(c.dims[2].npus, 8);
  EXPECT_DOUBLE_EQ(c.dims[2].latency_ns, 936.25);
  EXPECT_EQ(c.dims[2].bytes_per_ns, 50.0 * 1073741824.0 / 1e9);
}

TEST(NetworkYaml, ReadsBlockLists) {
  const NetworkConfig c = parse_network_yaml(
      "n.yml", "topology:\n  - Ring\nnpus_count:\n  - 4\nbandwidth:\n  - 50\nlatency:\n  - 500\n");
  EXPECT_EQ(c.npus(), 4);
}

TEST(NetworkYaml, LocatesErrors) {
  EXPECT_EQ(yaml_error(yaml("[ ring ]", "[ 4 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:1:13: unknown topology 'ring'; did you mean Ring?");
  EXPECT_EQ(yaml_error(yaml("[ Fullyconnected ]", "[ 4 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:1:13: unknown topology 'Fullyconnected'; did you mean FullyConnected?");
  EXPECT_EQ(yaml_error(yaml("[ Torus2D3D4D ]", "[ 4 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:1:13: unknown topology 'Torus2D3D4D'; known: Ring, FullyConnected, Switch");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 1 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:2:15: npus_count requires whole numbers from 2 to 16777216, not '1'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4.5 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:2:15: npus_count requires whole numbers from 2 to 16777216, not '4.5'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4 ]", "[ 0 ]", "[ 1 ]")),
            "n.yml:3:14: bandwidth requires a number of GB/s above 0, not '0'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4 ]", "[ .inf ]", "[ 1 ]")),
            "n.yml:3:14: bandwidth requires a number of GB/s above 0, not '.inf'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ -1 ]")),
            "n.yml:4:12: latency requires a number of ns, at least 0, not '-1'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ nan ]")),
            "n.yml:4:12: latency requires a number of ns, at least 0, not 'nan'");
  EXPECT_EQ(yaml_error(yaml("[ Ring ]", "[ 4, 4 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:2:13: npus_count has 2 dimensions, but topology has 1");
  EXPECT_EQ(yaml_error(yaml("Ring", "[ 4 ]", "[ 50 ]", "[ 1 ]")),
            "n.yml:1:11: topology requires a list with one entry for each dimension, such as [ Ring ]");
  EXPECT_EQ(yaml_error(yaml("[]", "[]", "[]", "[]")), "n.yml:1:11: topology has no dimensions");
  EXPECT_EQ(yaml_error(yaml("[ Ring, Ring, Ring ]", "[ 4096, 4096, 2 ]", "[ 1, 1, 1 ]", "[ 1, 1, 1 ]")),
            "n.yml:2:27: more than 16777216 NPUs");
  EXPECT_EQ(yaml_error("topologie: [ Ring ]\n"), "n.yml:1:1: unknown key 'topologie'; did you mean topology?");
  EXPECT_EQ(yaml_error("topology: [ Ring ]\ntopology: [ Ring ]\n"), "n.yml:2:1: key 'topology' is repeated");
  EXPECT_EQ(yaml_error("topology: [ Ring ]\nnpus_count: [ 4 ]\nlatency: [ 1 ]\n"),
            "n.yml: key bandwidth is missing");
}

TEST(NetworkYaml, RefusesHostileDocuments) {
  EXPECT_EQ(yaml_error("a: &x [ 1 ]\nb: [ *x, *x ]\n"), "n.yml:1:4: anchors are not supported in a network file");
  EXPECT_EQ(yaml_error("topology: *x\n").substr(0, 6), "n.yml:");
  EXPECT_EQ(yaml_error("topology: [ [ Ring ] ]\n"), "n.yml:1:13: unexpected list");
  EXPECT_EQ(yaml_error("topology: { a: 1 }\n"), "n.yml:1:11: unexpected map");
  EXPECT_NE(yaml_error(std::string(500'000, '[')), "");
  EXPECT_NE(yaml_error(std::string(500'000, '{')), "");
  EXPECT_EQ(yaml_error("topology: " + std::string(500'000, '[')),
            "n.yml:@0x3f2: brackets nested too deeply for a network file");
  EXPECT_NE(yaml_error("topology: [ Ring\n"), "");
  EXPECT_EQ(
      yaml_error(""),
      "n.yml: empty; a network file has the keys topology, npus_count, bandwidth and latency, or npus and links");
  EXPECT_NE(yaml_error("# nothing\n"), "");
  EXPECT_NE(yaml_error("just text\n"), "");
  EXPECT_NE(yaml_error("- a\n- b\n"), "");
  EXPECT_EQ(yaml_error("topology: [ \xff ]\n"), "n.yml:@0xc: not UTF-8");
  EXPECT_EQ(yaml_error("topology: [ \xe0\x80\x80 ]\n"), "n.yml:@0xc: not UTF-8");  // overlong
  EXPECT_EQ(yaml_error("topology: [ \xed\xa0\x80 ]\n"), "n.yml:@0xc: not UTF-8");  // a surrogate
  EXPECT_EQ(yaml_error(std::string("topology: [ \0 ]\n", 16)), "n.yml:@0xc: a NUL byte");
  EXPECT_EQ(yaml_error(std::string((4 << 20) + 1, '#')), "n.yml: larger than 4 MiB, the network file limit");
  std::string keys;
  for (int i = 0; i < 17; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(yaml_error(keys), "n.yml:17:1: more keys than a map of a network file may have");
  EXPECT_EQ(yaml_error("links: [" +
                       [] {
                         std::string many;
                         for (int i = 0; i < 1'100'000; ++i) many += "1,";
                         return many;
                       }() +
                       "1]"),
            "n.yml:1:2097155: more than 2^20 values, too many for a network file");
  const std::string good = yaml("[ Ring ]", "[ 4 ]", "[ 50 ]", "[ 1 ]");
  EXPECT_NE(yaml_error(good + "---\n" + good), "");
}

TEST(ShortNetwork, ReadsOneDimension) {
  const NetworkConfig c = parse_short_network("ring:8,bw=50GB/s,lat=500ns");
  ASSERT_EQ(c.dims.size(), 1U);
  EXPECT_EQ(c.dims[0].topology, Topology::ring);
  EXPECT_EQ(c.npus(), 8);
  EXPECT_EQ(c.dims[0].bytes_per_ns, 50.0);  // decimal, unlike network.yml
  EXPECT_EQ(c.dims[0].latency_ns, 500.0);
  EXPECT_EQ(parse_short_network("ring:8,bw=50GB/s").dims[0].latency_ns, 0.0);
  EXPECT_EQ(parse_short_network("ring:8,lat=1.5us,bw=1GiB/s").dims[0].latency_ns, 1500.0);
}

TEST(ShortNetwork, ReadsSeveralDimensionsAndIdeal) {
  const NetworkConfig c = parse_short_network("switch:4,bw=100GB/s,lat=200ns+fully_connected:2,bw=25GB/s");
  ASSERT_EQ(c.dims.size(), 2U);
  EXPECT_EQ(c.dims[0].topology, Topology::switched);
  EXPECT_EQ(c.dims[1].topology, Topology::fully_connected);
  EXPECT_EQ(c.npus(), 8);
  const NetworkConfig ideal = parse_short_network("ideal");
  EXPECT_TRUE(ideal.ideal);
  EXPECT_EQ(ideal.npus(), 0);
}

std::vector<std::int64_t> sizes(const NetworkConfig& c) {
  std::vector<std::int64_t> out;
  for (const NetworkDim& d : c.dims) out.push_back(d.npus);
  return out;
}

TEST(ShortNetwork, ReadsMeshTorusHypercube) {
  const NetworkConfig torus = parse_short_network("torus:4x2x8,bw=50GB/s|25GB/s|10GB/s,lat=1ns|2ns|3ns");
  EXPECT_EQ(sizes(torus), (std::vector<std::int64_t>{4, 2, 8}));
  EXPECT_EQ(torus.npus(), 64);
  EXPECT_EQ(torus.dims[1].topology, Topology::ring);
  EXPECT_EQ(torus.dims[2].bytes_per_ns, 10.0);
  EXPECT_EQ(torus.dims[1].latency_ns, 2.0);
  const NetworkConfig mesh = parse_short_network("mesh:4x3,bw=50GB/s,lat=1ns+switch:2,bw=1GB/s");
  EXPECT_EQ(sizes(mesh), (std::vector<std::int64_t>{4, 3, 2}));
  EXPECT_EQ(mesh.dims[0].topology, Topology::mesh);
  EXPECT_EQ(mesh.dims[1].bytes_per_ns, 50.0);
  EXPECT_EQ(mesh.dims[2].topology, Topology::switched);
  const NetworkConfig cube = parse_short_network("hypercube:16,bw=50GB/s+mesh:2,bw=1GB/s");
  EXPECT_EQ(sizes(cube), (std::vector<std::int64_t>{2, 2, 2, 2, 2}));
  EXPECT_EQ(cube.dims[3].topology, Topology::ring);
}

TEST(ShortNetwork, ReadsTrees) {
  const NetworkConfig tree = parse_short_network("tree:8x4x2,bw=600GB/s|300GB/s|100GB/s,lat=100ns|1us|2us");
  EXPECT_TRUE(tree.dims.empty());
  ASSERT_EQ(tree.levels.size(), 3U);
  EXPECT_EQ(tree.npus(), 64);
  EXPECT_EQ(tree.levels[0].fanout, 8);
  EXPECT_EQ(tree.levels[1].bytes_per_ns, 300.0);
  EXPECT_EQ(tree.levels[2].latency_ns, 2000.0);
  EXPECT_FALSE(tree.is_product());
}

TEST(ShortNetwork, ExplainsErrorsOfSeveralSizes) {
  EXPECT_EQ(short_error("ring:4x4,bw=1GB/s"),
            "network 'ring:4x4,bw=1GB/s': ring accepts one size; topologies with several sizes: mesh, torus, tree");
  EXPECT_EQ(short_error("mesh:4x1,bw=1GB/s"),
            "network 'mesh:4x1,bw=1GB/s': requires a number of NPUs from 2 to 16777216, not '1'");
  EXPECT_EQ(short_error("torus:4x,bw=1GB/s"),
            "network 'torus:4x,bw=1GB/s': requires a number of NPUs from 2 to 16777216, not ''");
  EXPECT_EQ(short_error("tree:4x0,bw=1GB/s"),
            "network 'tree:4x0,bw=1GB/s': requires a number of branches from 2 to 16777216, not '0'");
  EXPECT_EQ(short_error("hypercube:12,bw=1GB/s"),
            "network 'hypercube:12,bw=1GB/s': a hypercube requires 2, 4, 8, 16, … NPUs, not 12");
  EXPECT_EQ(short_error("torus:4x4,bw=1GB/s|2GB/s|3GB/s"),
            "network 'torus:4x4,bw=1GB/s|2GB/s|3GB/s': bw has 3 values; 1 or 2 expected");
  EXPECT_EQ(short_error("ring:4,bw=1GB/s,lat=1ns|2ns"),
            "network 'ring:4,bw=1GB/s,lat=1ns|2ns': lat has 2 values; 1 expected");
  EXPECT_EQ(short_error("ring:4,bw=1GB/s+tree:2x2,bw=1GB/s"),
            "network 'tree:2x2,bw=1GB/s': a tree cannot be joined with other dimensions");
  EXPECT_EQ(short_error("mesh:4096x4096x2,bw=1GB/s"),
            "network 'mesh:4096x4096x2,bw=1GB/s': has more than 16777216 NPUs");
  EXPECT_EQ(short_error("dragonfly:8,bw=1GB/s"),
            "network 'dragonfly:8,bw=1GB/s': unknown topology 'dragonfly'; known: ring, fully_connected, switch, "
            "mesh, torus, hypercube, tree");
}

TEST(ShortNetwork, ExplainsErrors) {
  EXPECT_EQ(short_error("rings:8,bw=1GB/s"),
            "network 'rings:8,bw=1GB/s': unknown topology 'rings'; did you mean ring?");
  EXPECT_EQ(short_error("ring:8"), "network 'ring:8': has no bandwidth; add bw=RATE, such as bw=50GB/s");
  EXPECT_EQ(short_error("ring:8,bw=fast"),
            "network 'ring:8,bw=fast': bw requires a rate such as 50GB/s, not 'fast'");
  EXPECT_EQ(short_error("ring:8,bw=1GB/s,lat=-1"),
            "network 'ring:8,bw=1GB/s,lat=-1': lat requires a time such as 500ns, not '-1'");
  EXPECT_EQ(short_error("ring:8,bw=1GB/s,x=1"), "network 'ring:8,bw=1GB/s,x=1': unknown key 'x'; known: bw, lat");
  EXPECT_EQ(short_error("ring:8,bw=1GB/s,bw=1GB/s"), "network 'ring:8,bw=1GB/s,bw=1GB/s': bw is repeated");
  EXPECT_EQ(short_error("ring:1,bw=1GB/s"),
            "network 'ring:1,bw=1GB/s': requires a number of NPUs from 2 to 16777216, not '1'");
  EXPECT_EQ(short_error("ring:99999999999999999999,bw=1GB/s").substr(0, 8), "network ");
  EXPECT_NE(short_error("ring:4,bw=1GB/s+"), "");
  EXPECT_NE(short_error("ring:16777216,bw=1GB/s+ring:2,bw=1GB/s"), "");
}

TEST(ShortNetwork, IsToldFromAPath) {
  EXPECT_TRUE(is_short_network("ideal"));
  EXPECT_TRUE(is_short_network("ring:8,bw=1GB/s"));
  EXPECT_TRUE(is_short_network("torus:8"));
  EXPECT_TRUE(is_short_network("torus2d:8"));
  EXPECT_FALSE(is_short_network("2d:8"));
  EXPECT_FALSE(is_short_network("ring8.yml"));
  EXPECT_FALSE(is_short_network("./ideal"));
  EXPECT_FALSE(is_short_network("dir/ring:8"));
  EXPECT_FALSE(is_short_network(""));
}

}  // namespace
}  // namespace convert
