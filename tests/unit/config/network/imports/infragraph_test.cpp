// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "common/expect_error.h"
#include "common/source_dir.h"
#include "config/network/network.h"

namespace convert {
namespace {

std::string infra_sample() {
  std::ifstream in(test::source_dir() / "testdata" / "networks" / "two_racks_infragraph.json");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
NetworkConfig infra(const std::string& text, const std::string& options = {}) {
  return parse_network("n", text, split_file_argument("n" + options));
}
std::string infra_error(const std::string& text) {
  return test::error_text([&] { (void)infra(text); }, Error::Kind::input);
}

std::set<std::string> edges_of(const WireGraph& g) {
  std::set<std::string> edges;
  for (const GraphWire& w : g.wires) {
    std::ostringstream line;
    line << g.device_name(w.from) << " - " << g.device_name(w.to) << ' ' << w.bytes_per_ns << ' ' << w.latency_ps;
    if (w.from < w.to) edges.insert(line.str());
  }
  return edges;
}

// A device of four NPUs and two switches with one edge, twice, in YAML.
std::string with_edge(const std::string& ep1, const std::string& ep2, const std::string& scheme,
                      const std::string& more = {}) {
  return "devices:\n- name: box\n  components:\n  - {name: xpu, count: 4, choice: xpu}\n"
         "  - {name: sw, count: 2, choice: switch}\n  links:\n"
         "  - {name: l, physical: {bandwidth: {gigabytes_per_second: 1}}}\n  edges:\n"
         "  - {ep1: {component: '" +
         ep1 + "'}, ep2: {component: '" + ep2 + "'}, scheme: " + scheme + ", link: l}\n" + more +
         "instances:\n- {name: a, device: box, count: 1}\n";
}
std::size_t edges_with(const std::string& ep1, const std::string& ep2, const std::string& scheme) {
  const std::string rest = "  - {ep1: {component: xpu}, ep2: {component: xpu}, scheme: ring, link: l}\n";
  return infra(with_edge(ep1, ep2, scheme, rest)).graph.wires.size() / 2 - 4;
}

TEST(InfraGraphs, AreExpanded) {
  const NetworkConfig c = infra(infra_sample());
  EXPECT_EQ(c.npus(), 4);
  EXPECT_EQ(
      edges_of(c.graph),
      (std::set<std::string>{
          "npu0 - npu1 300 300000", "npu2 - npu3 300 300000", "npu0 - host.0.card.0.bus.0 32 0",
          "npu1 - host.0.card.1.bus.0 32 0", "npu2 - host.1.card.0.bus.0 32 0", "npu3 - host.1.card.1.bus.0 32 0",
          "host.0.card.0.bus.0 - host.0.card.0.port.0 64 0", "host.0.card.1.bus.0 - host.0.card.1.port.0 64 0",
          "host.1.card.0.bus.0 - host.1.card.0.port.0 64 0", "host.1.card.1.bus.0 - host.1.card.1.port.0 64 0",
          "host.0.card.0.port.0 - rack.0.asic.0 50 1500000", "host.1.card.0.port.0 - rack.0.asic.0 50 1500000",
          "host.0.card.1.port.0 - rack.1.asic.0 50 1500000", "host.1.card.1.port.0 - rack.1.asic.0 50 1500000"}));
  EXPECT_EQ(c.notes, (std::vector<std::string>{"bandwidths in GT/s are read as GB/s: one byte for each transfer"}));
  EXPECT_EQ(c.remarks, (std::vector<std::string>{"2 nodes omitted: memories, and nodes without an edge"}));
}

TEST(InfraGraphs, Schemes) {
  EXPECT_EQ(edges_with("xpu", "sw[0]", "many2many"), 4U);
  EXPECT_EQ(edges_with("xpu[0:4:2]", "sw", "one2one"), 2U);
  EXPECT_EQ(edges_with("xpu[:2]", "sw[0:]", "many2many"), 4U);
  EXPECT_EQ(edges_with("sw", "xpu[3]", "many2many"), 2U);
  EXPECT_EQ(edges_with("sw[:]", "xpu[0:2]", "ring"), 4U - 1);  // one exists already
  // Neither to itself, nor in both directions.
  EXPECT_EQ(edges_with("xpu", "xpu", "many2many"), 2U);
}

TEST(InfraGraphs, LocateErrors) {
  const auto at_edge = [](const std::string& ep1, const std::string& ep2, const std::string& scheme) {
    return infra_error(with_edge(ep1, ep2, scheme));
  };
  EXPECT_EQ(at_edge("xpu", "sw", "one2one"), "n:9:5: one2one of 4 and 2; both ends must have equal length");
  EXPECT_EQ(at_edge("xpu[0:5]", "sw", "many2many"),
            "n:9:11: 'xpu[0:5]' is out of range; the number of elements is 4, counted from 0");
  EXPECT_EQ(at_edge("xpu[4]", "sw", "many2many"),
            "n:9:11: 'xpu[4]' is out of range; the number of elements is 4, counted from 0");
  EXPECT_EQ(at_edge("xpu[2:1]", "sw", "many2many"),
            "n:9:11: 'xpu[2:1]' is out of range; the number of elements is 4, counted from 0");
  EXPECT_EQ(at_edge("xpu[0:4:0]", "sw", "many2many"), "n:9:11: 'xpu[0:4:0]' has a step of 0");
  EXPECT_EQ(at_edge("xpu[-1]", "sw", "many2many"),
            "n:9:11: 'xpu[-1]' is not a slice; examples: [0:8], [0:8:2] or [3]");
  EXPECT_EQ(at_edge("xpu[0", "sw", "many2many"), "n:9:23: 'xpu[0' is not a name with a slice, such as xpu[0:8]");
  EXPECT_EQ(at_edge("cpu", "sw", "many2many"), "n:9:11: device 'box' has no component 'cpu'");
  EXPECT_EQ(at_edge("xpu.a", "sw", "many2many"), "n:9:11: 'a' follows a component that is not a device");
  EXPECT_EQ(at_edge("xpu", "sw", "all"), "n:9:63: unknown scheme 'all'; known: one2one, many2many, ring");
  EXPECT_EQ(at_edge("xpu[0:2]", "sw", "one2one"), "n: there is no route from npu0 to npu1");
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = with_edge("xpu", "sw", "many2many");
    text.replace(text.find(from), from.size(), to);
    return infra_error(text);
  };
  EXPECT_EQ(changed("link: l}", "link: x}"), "n:9:5: unknown link 'x'");
  EXPECT_EQ(changed("device: box", "device: bx"), "n:11:3: instance 'a' has unknown device 'bx'");
  EXPECT_EQ(changed("count: 4", "count: -4"), "n:4:24: count requires a non-negative whole number");
  EXPECT_EQ(changed("count: 4", "count: 1000000000"), "n:11:3: more than 2^21 nodes");
  EXPECT_EQ(changed("count: 1}", "count: 1000000000}"), "n:11:3: more than 2^21 nodes");
  EXPECT_EQ(changed("choice: xpu", "choice: cpu"), "n: no component is an xpu, so the network has no NPUs");
  EXPECT_EQ(changed("choice: switch", "choice: device"), "n:11:3: component 'sw' is an unknown device");
  EXPECT_EQ(changed("name: sw", "name: xpu"), "n:5:5: component 'xpu' is repeated");
  EXPECT_EQ(changed("gigabytes_per_second: 1", "gigabytes_per_second: nan"),
            "n:7:60: gigabytes_per_second requires a number");
  EXPECT_EQ(changed("gigabytes_per_second: 1", "gigabytes_per_second: -1"),
            "n:7:37: bandwidth requires a positive number");
  EXPECT_EQ(changed("gigabytes_per_second: 1", "furlongs: 1").substr(0, 34), "n:7:37: bandwidth requires one of ");
  EXPECT_EQ(changed("instances:", "edges: 5\ninstances:"), "n:10:8: edges requires a list of maps");
  EXPECT_EQ(infra_error("devices:\n- name: a\n  components:\n  - {name: a, count: 1, choice: device}\n"
                        "instances:\n- {name: i, device: a, count: 1}\n"),
            "n:6:3: device 'a' nests devices more than 16 deep");
  EXPECT_EQ(infra_error(infra_sample().substr(0, 700)).substr(0, 2), "n:");
}

// Fields of protocol buffers.
std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string number_field(int number, int value) {
  return std::string(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}

TEST(InfraGraphs, InBinary) {
  const std::string rate = number_field(1, 2) + std::string("\x1d\x00\x00\x20\x41", 5);  // 10 GB/s
  const std::string link = field(1, "l") + field(2, "a link") + field(3, field(1, rate));
  const std::string edge =
      field(1, field(2, "x[0:2]")) + field(2, field(2, "s")) + number_field(3, 2) + field(4, "l");
  const std::string device =
      field(1, "d") + field(3, field(1, "x") + number_field(3, 2) + number_field(4, 4) + field(13, "")) +
      field(3, field(1, "s") + number_field(3, 1) + number_field(4, 8)) + field(4, link) + field(5, edge);
  const std::string document =
      field(1, "name") + field(3, device) + field(5, field(1, "i") + field(3, "d") + number_field(4, 1));
  EXPECT_EQ(edges_of(infra(document).graph), (std::set<std::string>{"npu0 - i.0.s.0 10 0", "npu1 - i.0.s.0 10 0"}));
  for (std::size_t n = 7; n + 1 < document.size(); ++n) EXPECT_NE(infra_error(document.substr(0, n)), "") << n;
  EXPECT_EQ(infra_error(document.substr(0, 20)), "n:@0x8: the binary InfraGraph is truncated in a message");
  EXPECT_EQ(infra_error(field(1, "n") + field(3, "\x7f")),
            "n:@0x6: a field of an encoding that InfraGraph does not use");
}

TEST(InfraGraphs, Defaults) {
  std::string text = with_edge("xpu", "sw", "many2many");
  text.replace(text.find(", physical: {bandwidth: {gigabytes_per_second: 1}}"), 50, "");
  EXPECT_EQ(infra_error(text), "n:9:5: link 'l' has no bandwidth; set a default, as in -n n,bw=50GB/s");
  const WireGraph g = infra(text, ",bw=50GB/s,lat=1us").graph;
  EXPECT_EQ(g.wires[0].bytes_per_ns, 50.0);
  EXPECT_EQ(g.wires[0].latency_ps, 1'000'000);
}

}  // namespace
}  // namespace convert
