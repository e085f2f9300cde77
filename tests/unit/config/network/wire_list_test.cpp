// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "common/expect_error.h"
#include "config/network/network.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

WireGraph read_wires(const std::string& text) { return parse_network_yaml("n.yml", text).graph; }

std::string wire_list_error(const std::string& text) {
  return test::error_text([&] { (void)read_wires(text); }, Error::Kind::input);
}
// Returns the error of a file with these links, from line 5 on, after "npus: 3", two switches and a default
// bandwidth.
std::string wires_error(const std::string& wires) {
  return wire_list_error("npus: 3\nswitches: [leaf0, spine]\ndefaults: {bandwidth: 1GB/s}\nlinks:\n" + wires);
}

TEST(WireList, ReadsWires) {
  const NetworkConfig c = parse_network_yaml("n.yml", R"(# two leaves
npus: 4
switches: [leaf0, leaf1, root]
defaults: { bandwidth: 50GB/s, latency: 500ns }
links:
  - { between: [0, leaf0], bandwidth: 600GB/s, latency: 1.5us }
  - between: [npu1, leaf0]
  - { from: 2, to: leaf1 }
  - { from: leaf1, to: 2, latency: 0, bandwidth: 8Gbit/s }
  - { between: [[3], leaf1] }
  - { between: [leaf0..1, root] }
)");
  EXPECT_EQ(c.source, "n.yml");
  EXPECT_EQ(c.npus(), 4);
  EXPECT_FALSE(c.is_product());
  const WireGraph& g = c.graph;
  EXPECT_EQ(g.devices(), 7U);
  ASSERT_EQ(g.wires.size(), 12U);
  EXPECT_EQ(g.device_name(0), "npu0");
  EXPECT_EQ(g.device_name(6), "root");
  const auto is = [&](std::size_t i, Device from, Device to, double bytes_per_ns, Picoseconds latency_ps) {
    const GraphWire& l = g.wires[i];
    return l.from == from && l.to == to && l.bytes_per_ns == bytes_per_ns && l.latency_ps == latency_ps;
  };
  EXPECT_TRUE(is(0, 0, 4, 600, 1'500'000));
  EXPECT_TRUE(is(1, 4, 0, 600, 1'500'000));
  EXPECT_TRUE(is(2, 1, 4, 50, 500'000));
  EXPECT_TRUE(is(4, 2, 5, 50, 500'000));
  EXPECT_TRUE(is(5, 5, 2, 1, 0));
  EXPECT_TRUE(is(8, 4, 6, 50, 500'000));
  EXPECT_TRUE(is(10, 5, 6, 50, 500'000));
}

TEST(WireList, ReadsRangesAndKeysInAnyOrder) {
  const WireGraph g = read_wires(R"({"links": [{"between": ["0..3", "switch0..switch1"], "bandwidth": "1GB/s"},
    {"between": [[4, 6..7, npu5], switch1], "bandwidth": "2GB/s"}], "switches": 2, "npus": 8})");
  EXPECT_EQ(g.wires.size(), 2U * (4 * 2 + 4));
  EXPECT_EQ(g.device_name(9), "switch1");
  EXPECT_EQ(g.wires[2].from, 0U);
  EXPECT_EQ(g.wires[2].to, 9U);
  EXPECT_EQ(g.wires[0].latency_ps, 0);
  EXPECT_EQ(g.wires.back().to, 5U);
  // No switches: a directed ring.
  EXPECT_EQ(read_wires("npus: 2\nlinks: [{from: 0, to: 1, bandwidth: 1GB/s}, {from: 1, to: 0, bandwidth: 1GB/s}]")
                .devices(),
            2U);
}

TEST(WireList, LocatesErrorsOfTheFile) {
  EXPECT_EQ(wire_list_error("npu: 3\nlinks: []\n"), "n.yml:1:1: unknown key 'npu'; did you mean npus?");
  EXPECT_EQ(wire_list_error("npus: 3\n"), "n.yml: key links is missing");
  EXPECT_EQ(wire_list_error("links: []\n"), "n.yml: key npus is missing");
  EXPECT_EQ(wire_list_error("npus: 1\nlinks: []\n"), "n.yml:1:7: npus requires a whole number from 2 to 16777216");
  EXPECT_EQ(wire_list_error("npus: [3]\nlinks: []\n"),
            "n.yml:1:7: npus requires a whole number from 2 to 16777216");
  EXPECT_EQ(wire_list_error("npus: 20000\nlinks: []\n"),
            "n.yml:1:7: shortest routes between 20000 NPUs over 20000 devices require 400000000 table entries; the "
            "limit is 134217728");
  EXPECT_EQ(wire_list_error("npus: 3\nlinks: 5\n"), "n.yml:2:8: links requires a list of maps");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: -1\nlinks: []\n"),
            "n.yml:2:11: switches requires a list of names, or the number of switches");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: [a, 5]\nlinks: []\n"),
            "n.yml:2:15: a switch name must be a letter, then letters, digits, '_' or '.', not '5'");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: [a, npu1]\nlinks: []\n"),
            "n.yml:2:15: 'npu1' is the name of an NPU, not of a switch");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: [s1, s0..2]\nlinks: []\n"), "n.yml:2:16: switch 's1' is repeated");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: [s3..2]\nlinks: []\n"),
            "n.yml:2:12: 's3..2' is not a range; examples: 0..7 or leaf0..3");
  EXPECT_EQ(wire_list_error("npus: 3\nswitches: [s0..99999999999]\nlinks: []\n"),
            "n.yml:2:12: 's0..99999999999' is longer than the limit");
  EXPECT_EQ(wire_list_error("npus: 3\ndefaults: 50GB/s\nlinks: []\n"),
            "n.yml:2:11: defaults requires a map, such as { bandwidth: 50GB/s, latency: 500ns }");
  EXPECT_EQ(wire_list_error("npus: 3\ndefaults: {bandwith: 50GB/s}\nlinks: []\n"),
            "n.yml:2:12: unknown key 'bandwith'; did you mean bandwidth?");
  EXPECT_EQ(wire_list_error("npus: 2\ndefaults: {bandwidth: 50}\nlinks: []\n"),
            "n.yml:2:23: bandwidth requires a rate such as 50GB/s, not '50'");
  EXPECT_EQ(wire_list_error("npus: 2\ndefaults: {latency: 500}\nlinks: []\n"),
            "n.yml:2:21: latency requires a time with its unit such as 500ns, not '500'");
  EXPECT_EQ(wire_list_error("npus: 2\ndefaults: {latency: [1ns]}\nlinks: []\n"),
            "n.yml:2:21: latency requires a time with its unit such as 500ns");
}

TEST(WireList, LocatesErrorsOfWires) {
  EXPECT_EQ(wires_error(" - 0-1\n"),
            "n.yml:5:4: a link must be a map, such as { between: [0, 1], bandwidth: 50GB/s }");
  EXPECT_EQ(wires_error(" - {betwen: [0, 1]}\n"), "n.yml:5:5: unknown key 'betwen'; did you mean between?");
  EXPECT_EQ(wires_error(" - {from: 0}\n"),
            "n.yml:5:4: a link requires between (both directions), or from and to (one direction)");
  EXPECT_EQ(wires_error(" - {between: [0, 1], from: 0, to: 1}\n"),
            "n.yml:5:4: a link requires between (both directions), or from and to (one direction)");
  EXPECT_EQ(wires_error(" - {between: [0, 1, 2]}\n"), "n.yml:5:14: between requires two ends, such as [0, 1]");
  EXPECT_EQ(wires_error(" - {between: [0, 3]}\n"), "n.yml:5:18: NPU 3 is not among the 3 NPUs, 0 to 2");
  EXPECT_EQ(wires_error(" - {between: [0, lead0]}\n"), "n.yml:5:18: unknown device 'lead0'; did you mean leaf0?");
  EXPECT_EQ(wires_error(" - {between: [0, tor]}\n"),
            "n.yml:5:18: unknown device 'tor'; a device is the number of an NPU or the name of a switch under "
            "switches");
  EXPECT_EQ(wires_error(" - {between: [0, []]}\n"), "n.yml:5:18: the link has no device at this end");
  EXPECT_EQ(wires_error(" - {between: [0, [[1]]]}\n"), "n.yml:5:19: unexpected list");
  EXPECT_EQ(wires_error(" - {between: [0..2, 2]}\n"), "n.yml:5:4: a link from npu2 to itself");
  EXPECT_EQ(wires_error(" - {between: [0, leaf0]}\n - {from: leaf0, to: 0}\n"),
            "n.yml:6:4: a second link from leaf0 to npu0, first given in line 5; merge parallel links into one "
            "with the sum of their bandwidths");
  EXPECT_EQ(wires_error(" - {between: [0..2, leaf0]}\n"), "n.yml:2:11: spine has no link");
  EXPECT_EQ(wires_error(" - {between: [0..1, leaf0]}\n - {between: [2, spine]}\n"),
            "n.yml:5:2: there is no route from npu0 to npu2");
  EXPECT_EQ(wires_error(" - {between: [0..1, leaf0]}\n - {from: leaf0, to: [2, spine]}\n"),
            "n.yml:5:2: there is no route from npu2 to npu0");
  EXPECT_EQ(wire_list_error("npus: 2\nlinks:\n - {between: [0, 1]}\n"),
            "n.yml:3:4: the link has no bandwidth; add it to the link or to defaults");
}

TEST(WireList, HasWeightsAndParticipants) {
  const WireGraph g = read_wires(
      "npus: 4\nparticipants: [3, 0..1]\ndefaults: {bandwidth: 1GB/s, weight: 4}\nlinks:\n"
      " - {between: [0, 1..3]}\n - {from: 1, to: 2, weight: 1048576}\n");
  EXPECT_EQ(g.participants, (std::vector<Device>{0, 1, 3}));
  EXPECT_EQ(g.wires[0].weight, 4U);
  EXPECT_EQ(g.wires.back().weight, 1U << 20U);
  const std::string rest = "links: [{between: [0, 1], bandwidth: 1GB/s}]\n";
  EXPECT_EQ(wire_list_error("npus: 2\nparticipants: []\n" + rest), "n.yml:2:15: participants requires NPUs");
  EXPECT_EQ(wire_list_error("npus: 2\nparticipants: [0, 0..1]\n" + rest), "n.yml:2:15: npu0 is repeated");
  EXPECT_EQ(wire_list_error("npus: 2\nswitches: [s]\nparticipants: [0, s]\n" + rest),
            "n.yml:3:15: s is a switch; participants are NPUs");
  EXPECT_EQ(wire_list_error("npus: 2\nparticipants: 2\n" + rest),
            "n.yml:2:15: NPU 2 is not among the 2 NPUs, 0 to 1");
  for (const std::string weight : {"0", "-1", "1.5", "1048577"}) {
    EXPECT_EQ(wire_list_error("npus: 2\nlinks: [{between: [0, 1], weight: " + weight + "}]\n"),
              "n.yml:2:35: weight requires a whole number from 1 to 1048576, not '" + weight + "'");
  }
  EXPECT_EQ(wire_list_error("npus: 2\nlinks: [{between: [0, 1], weight: [1]}]\n"),
            "n.yml:2:35: weight requires a whole number from 1 to 1048576");
}

TEST(WireList, RefusesWhatClaimsToBeLarge) {
  EXPECT_EQ(wires_error(" - {between: [0..99999999, 1]}\n"), "n.yml:5:15: '0..99999999' is longer than the limit");
  EXPECT_EQ(wire_list_error("npus: 8000\nlinks:\n - {from: 0..3999, to: 4000..7999, bandwidth: 1GB/s}\n"),
            "n.yml:3:4: more than 2^20 links");
  EXPECT_EQ(wire_list_error("npus: 2\nswitches: 99999999\nlinks: []\n"),
            "n.yml:2:11: switches requires a list of names, or the number of switches");
}

}  // namespace
}  // namespace convert
