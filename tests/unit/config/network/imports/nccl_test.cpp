// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/expect_error.h"
#include "common/source_dir.h"
#include "config/network/imports/nccl_rates.h"
#include "config/network/network.h"
#include "config/network/routes.h"

namespace convert {
namespace {

std::string nccl_sample() {
  std::ifstream in(test::source_dir() / "testdata" / "networks" / "pair_nccl.xml");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

NetworkConfig nccl(const std::string& text, const std::string& options = {}) {
  return parse_network("n", text, split_file_argument("n" + options));
}
std::string nccl_error(const std::string& text, const std::string& options = {}) {
  return test::error_text([&] { (void)nccl(text, options); }, Error::Kind::input);
}
std::string nccl_usage(const std::string& options) {
  return test::error_message([&] { (void)nccl(nccl_sample(), options); }, Error::Kind::usage);
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// One CPU with GPUs, each in its own PCI device with the given elements.
std::string machine(const std::vector<std::string>& gpus, const std::string& cpu = "arch=\"x86_64\"") {
  std::string text = "<system version=\"1\">\n<cpu numaid=\"0\" " + cpu + ">\n";
  for (std::size_t i = 0; i < gpus.size(); ++i)
    text += "<pci busid=\"0000:0" + std::to_string(i) + ":00.0\" class=\"0x030200\">" + gpus[i] + "</pci>\n";
  return text + "</cpu>\n</system>\n";
}

const GraphWire* find_wire(const WireGraph& g, const std::string& from, const std::string& to) {
  for (const GraphWire& w : g.wires) {
    if (g.device_name(w.from) == from && g.device_name(w.to) == to) return &w;
  }
  return nullptr;
}
double rate(const WireGraph& g, const std::string& from, const std::string& to) {
  const GraphWire* const wire = find_wire(g, from, to);
  return wire == nullptr ? 0 : wire->bytes_per_ns;
}

std::string nccl_way(const NetworkConfig& config, Device src, Device dst) {
  const auto router = make_router(config);
  Position p{.at = src, .dst = dst};
  std::string way = router->device_name(src);
  while (p.at != dst) {
    (void)router->step(p);
    way += ' ' + router->device_name(p.at);
  }
  return way;
}

TEST(NcclRates, OfPciAndNvlink) {
  for (const auto& [speed, rate] :
       {std::pair("2.5 GT/s", 3.0), std::pair("5 GT/s", 6.0), std::pair("5.0 GT/s PCIe", 6.0),
        std::pair("8 GT/s", 12.0), std::pair("16.0 GT/s PCIe", 24.0), std::pair("32.0 GT/s PCIe", 48.0),
        std::pair("64.0 GT/s PCIe", 96.0), std::pair("", 12.0), std::pair("Unknown", 12.0)})
    EXPECT_EQ(nccl_pci_rate(speed, 16, NcclRates::nccl), rate) << speed;
  EXPECT_EQ(nccl_pci_rate("16.0 GT/s PCIe", 0, NcclRates::nccl), 24.0);
  EXPECT_EQ(nccl_pci_rate("16.0 GT/s PCIe", 4, NcclRates::nccl), 6.0);
  EXPECT_EQ(nccl_pci_rate("5.0 GT/s PCIe", 16, NcclRates::nominal), 10.0);
  EXPECT_DOUBLE_EQ(nccl_pci_rate("32.0 GT/s PCIe", 16, NcclRates::nominal), 64.0 * 128 / 130);
  for (const auto& [sm, rate] :
       {std::pair(60, 18.0), std::pair(70, 20.0), std::pair(80, 20.0), std::pair(86, 12.0), std::pair(89, 20.0),
        std::pair(90, 20.6), std::pair(100, 40.1), std::pair(0, 20.0)})
    EXPECT_EQ(nccl_nvlink_rate(sm, NcclRates::nccl), rate) << sm;
  EXPECT_EQ(nccl_nvlink_rate(90, NcclRates::nominal), 25.0);
  EXPECT_EQ(nccl_nvlink_rate(103, NcclRates::nominal), 50.0);
  for (const auto& [gcn, rate] : {std::pair("906", 24.0), std::pair("910", 36.0), std::pair("gfx90a", 36.0),
                                  std::pair("940", 48.0), std::pair("gfx942", 48.0), std::pair("gfx950", 48.0)})
    EXPECT_EQ(rccl_xgmi_rate(gcn), rate) << gcn;
}

TEST(NcclRates, BetweenCpus) {
  EXPECT_EQ(nccl_cpu_rate("ppc64", "", 0, 0), 32.0);
  EXPECT_EQ(nccl_cpu_rate("arm64", "", 0, 0), 6.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "AuthenticAMD", 143, 49), 16.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "GenuineIntel", 6, 0xCF), 40.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "GenuineIntel", 6, 0x8F), 22.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "GenuineIntel", 6, 0x55), 10.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "GenuineIntel", 6, 0x4F), 6.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "GenuineIntel", 15, 0xCF), 6.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "  Shanghai  ", 7, 0x5B), 9.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "CentaurHauls", 7, 0x3B), 6.0);
  EXPECT_EQ(nccl_cpu_rate("x86_64", "other", 0, 0), 5000.0);
}

TEST(NcclTopologies, OfOneHost) {
  const NetworkConfig c = nccl(nccl_sample());
  const WireGraph& g = c.graph;
  EXPECT_EQ(g.npus, 2U);
  EXPECT_EQ(g.switch_names,
            (std::vector<std::string>{"nvswitch0", "cpu0", "pci0000_01_00.0", "cpu1", "pci0000_81_00.0"}));
  EXPECT_EQ(rate(g, "npu0", "nvswitch0"), 18 * 20.6);
  EXPECT_EQ(rate(g, "npu1", "pci0000_81_00.0"), 48.0);
  EXPECT_EQ(rate(g, "cpu0", "cpu1"), 22.0);
  EXPECT_EQ(nccl_way(c, 0, 1), "npu0 nvswitch0 npu1");
  EXPECT_EQ(find_wire(g, "npu0", "nvswitch0")->latency_ps, 500'000);
  EXPECT_EQ(find_wire(g, "cpu0", "pci0000_01_00.0")->latency_ps, 700'000);
  EXPECT_TRUE(c.notes.empty());
  const WireGraph nominal = nccl(nccl_sample(), ",rates=nominal,lat=nvlink:1ns,lat=pci:2ns").graph;
  EXPECT_EQ(rate(nominal, "npu0", "nvswitch0"), 450.0);
  EXPECT_EQ(find_wire(nominal, "npu0", "nvswitch0")->latency_ps, 1000);
  EXPECT_EQ(find_wire(nominal, "cpu0", "cpu1")->latency_ps, 2000);
}

TEST(NcclTopologies, JoinHosts) {
  const NetworkConfig rails = nccl(nccl_sample(), ",hosts=2,fabric=rail,lat=net:2us");
  EXPECT_EQ(rails.npus(), 4);
  EXPECT_EQ(nccl_way(rails, 0, 2),
            "npu0 host0.pci0000_01_00.0 host0.nic0000_03_00 host0.net0 rail0 host1.net0 host1.nic0000_03_00 "
            "host1.pci0000_01_00.0 npu2");
  // To another rail: first over NVLink to the NPU next to the card, as in NCCL.
  EXPECT_EQ(nccl_way(rails, 0, 3).substr(0, 32), "npu0 nvswitch0 npu1 host0.pci000");
  EXPECT_EQ(find_wire(rails.graph, "host1.net0", "rail0")->latency_ps, 2'000'000);
  EXPECT_EQ(rate(rails.graph, "host1.net0", "rail0"), 50.0);
  EXPECT_EQ(find_wire(rails.graph, "host1.nic0000_03_00", "host1.net0")->latency_ps, 0);
  const NetworkConfig joined = nccl(nccl_sample(), ",hosts=2,fabric=switch");
  EXPECT_EQ(nccl_way(joined, 1, 2).substr(0, 30), "npu1 host0.pci0000_81_00.0 hos");
  EXPECT_EQ(joined.notes.size(), 1U);  // no latency
  EXPECT_EQ(nccl(changed(nccl_sample(), "latency=\"0.000000\"", "latency=\"1.5\""), ",hosts=2,fabric=rail")
                .graph.wires.size(),
            rails.graph.wires.size());
  const WireGraph spine = nccl(nccl_sample(), ",hosts=4,fabric=leaf-spine,leaf=2,over=4,lat=1us").graph;
  EXPECT_EQ(rate(spine, "leaf1", "spine"), 4 * 50.0 / 4);
  EXPECT_EQ(find_wire(spine, "leaf1", "spine")->latency_ps, 1'000'000);
  EXPECT_EQ(spine.switch_names.back(), "spine");
  EXPECT_EQ(spine.npus, 8U);
}

TEST(NcclTopologies, PreferWaysAsNcclDoes) {
  // Two pairs with NVLinks, in a row: over a third GPU instead of PCI; without NVLinks, within the machine instead
  // of over the network.
  const std::string nv = "<nvlink target=\"0000:0";
  const auto to = [&](int i) { return nv + std::to_string(i) + ":00.0\" count=\"2\" tclass=\"0x030200\"/>"; };
  const NetworkConfig chain = nccl(machine({"<gpu dev=\"0\" sm=\"70\" rank=\"0\">" + to(1) + "</gpu>",
                                            "<gpu dev=\"1\" sm=\"70\" rank=\"1\">" + to(0) + to(2) + "</gpu>",
                                            "<gpu dev=\"2\" sm=\"70\" rank=\"2\">" + to(1) + "</gpu>"}));
  EXPECT_EQ(nccl_way(chain, 0, 2), "npu0 npu1 npu2");
  EXPECT_EQ(rate(chain.graph, "npu0", "npu1"), 40.0);
  std::string no_nvlink = nccl_sample();
  for (int i = 0; i < 4; ++i) {
    const std::size_t at = no_nvlink.find("<nvlink");
    no_nvlink.erase(at, no_nvlink.find("/>", at) + 2 - at);
  }
  EXPECT_EQ(nccl_way(nccl(no_nvlink, ",fabric=switch"), 0, 1),
            "npu0 pci0000_01_00.0 cpu0 cpu1 pci0000_81_00.0 npu1");
}

TEST(NcclTopologies, OtherLinks) {
  const WireGraph g = nccl(machine({"<gpu dev=\"0\" sm=\"100\" rank=\"0\"><c2c bw=\"44712\" count=\"5\"/></gpu>",
                                    "<gpu dev=\"1\" gcn=\"gfx942\" rank=\"1\"><xgmi target=\"0000:02:00.0\" "
                                    "count=\"1\" tclass=\"0x120000\"/></gpu>",
                                    "<gpu dev=\"2\" gcn=\"gfx942\" rank=\"2\"><xgmi target=\"0000:01:00.0\" "
                                    "count=\"1\" tclass=\"0x038000\"/></gpu>"}))
                          .graph;
  EXPECT_DOUBLE_EQ(rate(g, "npu0", "cpu0"), 223.56);  // instead of PCI
  EXPECT_EQ(find_wire(g, "npu0", "cpu0")->weight, 2U);
  EXPECT_EQ(rate(g, "npu1", "npu2"), 48.0);
  EXPECT_EQ(rate(g, "npu1", "cpu0"), 12.0);
}

TEST(NcclTopologies, SeveralHostsOfAFile) {
  const auto host = [](const std::string& hash, int rank, const std::string& target) {
    return "<cpu host_hash=\"" + hash +
           "\" numaid=\"0\" arch=\"arm64\"><pci busid=\"0008:01:00.0\" class=\"0x030200\" link_width=\"\">"
           "<gpu dev=\"0\" sm=\"100\" rank=\"" +
           std::to_string(rank) + "\"><nvlink target=\"" + target +
           "\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>"
           "<nic><net dev=\"0\" speed=\"200000\"/></nic></cpu>\n";
  };
  const std::string shared = "<system version=\"1\">" + host("0xa", 1, "fffffff:ff:ff.0") +
                             host("0xb", 0, "fffffff:ff:ff.0") + "</system>";
  const NetworkConfig rack = nccl(shared);
  EXPECT_EQ(rack.npus(), 2);
  EXPECT_EQ(nccl_way(rack, 0, 1), "npu0 nvswitch0 npu1");
  EXPECT_EQ(rate(rack.graph, "npu1", "nvswitch0"), 18 * 40.1);
  const std::string apart =
      "<system version=\"1\">" + host("0xa", 0, "0000:c0:00.0") + host("0xb", 1, "0000:c0:00.0") + "</system>";
  EXPECT_EQ(nccl_error(apart),
            "n: there is no route from npu0 to npu1; join the hosts with fabric=rail, switch or leaf-spine");
  EXPECT_EQ(nccl_way(nccl(apart, ",fabric=switch"), 0, 1),
            "npu0 host0.cpu0 host0.nic0_cpu host0.net0 fabric host1.net0 host1.nic0_cpu host1.cpu0 npu1");
  EXPECT_EQ(nccl(shared, ",hosts=2,fabric=rail").graph.npus, 4U);
}

TEST(NcclTopologies, LeaveNetworkDevicesOut) {
  // The same device at both CPUs, listed as for sockets.
  std::string text = nccl_sample();
  for (const std::string cpu : {"  </cpu>\n  <cpu", "  </cpu>\n</system>"})
    text.insert(text.find(cpu), "<nic><net dev=\"7\" speed=\"10000\"/></nic>\n");
  EXPECT_EQ(nccl(text).graph.switch_names, nccl(nccl_sample()).graph.switch_names);
  EXPECT_EQ(nccl(text, ",fabric=switch").graph.switches, nccl(nccl_sample(), ",fabric=switch").graph.switches + 3);
}

TEST(NcclTopologies, RanksByDevice) {
  const std::string text = machine({"<gpu dev=\"5\" sm=\"80\"/>", "<gpu dev=\"3\" sm=\"80\"/>"});
  EXPECT_EQ(nccl_error(text), "n:1:1: no GPU has a rank, as in files for NCCL_TOPO_FILE; add ranks=dev");
  EXPECT_EQ(nccl(text, ",ranks=dev").npus(), 2);
  EXPECT_EQ(nccl_error(machine({"<gpu dev=\"3\"/>", "<gpu dev=\"3\"/>"}), ",ranks=dev"),
            "n:4:44: dev 3 is repeated, first given in line 3");
  const NetworkConfig some =
      nccl(machine({"<gpu dev=\"0\" rank=\"1\"/>", "<gpu dev=\"1\" rank=\"0\"/>", "<gpu dev=\"2\"/>"}));
  EXPECT_EQ(some.npus(), 2);
  EXPECT_EQ(some.notes, (std::vector<std::string>{"1 GPU without a rank omitted: outside the communicator"}));
}

TEST(NcclTopologies, LocateErrors) {
  const std::string good = nccl_sample();
  EXPECT_EQ(nccl_error(good.substr(0, 900)).substr(0, 29), "n:16:3: not well-formed XML: ");
  EXPECT_EQ(nccl_error("<!DOCTYPE system [<!ENTITY a \"b\">]>\n<system/>"),
            "n:1:11: a document type declaration is not accepted in a topology of NCCL; remove it");
  EXPECT_EQ(nccl_error(good + "<system/>"), "n:36:1: a second root element <system>");
  EXPECT_EQ(nccl_error(good + "text"), "n:35:10: text outside the root element");
  EXPECT_EQ(nccl_error("<system version=\"1\"/>").substr(0, 37), "n:1:1: no <gpu> has a rank: NCCL adds");
  EXPECT_EQ(nccl_error(changed(good, "rank=\"1\"", "rank=\"2\"")),
            "n:20:9: rank 1 is missing; a file must have the ranks 0 to n-1");
  EXPECT_EQ(nccl_error(changed(good, "rank=\"1\"", "rank=\"0\"")),
            "n:20:9: rank 0 is repeated, first given in line 5");
  EXPECT_EQ(nccl_error(changed(good, "rank=\"1\"", "rank=\"x\"")),
            "n:20:9: rank of <gpu> requires a whole number from 0 to 2147483647, not 'x'");
  EXPECT_EQ(nccl_error(changed(machine({"<gpu rank=\"0\"/>", "<gpu rank=\"1\"/>"}), "0000:01", "0000:00")),
            "n:4:1: busid 0000:00:00.0 of a GPU is repeated, first given in line 3");
  EXPECT_EQ(nccl_error(changed(good, "numaid=\"1\"", "numaid=\"0\"")),
            "n:17:3: a second CPU with numaid 0 of its host");
  EXPECT_EQ(nccl_error(changed(good, "count=\"9\"", "count=\"-9\"")),
            "n:6:11: count of <nvlink> requires a whole number from 0 to 1000000, not '-9'");
  EXPECT_EQ(nccl_error(changed(good, " count=\"9\"", "")), "n:6:11: <nvlink> has no count");
  EXPECT_EQ(nccl_error(changed(good, "link_width=\"16\"", "link_width=\"1e9\"")),
            "n:3:5: link_width of <pci> requires a whole number from 0 to 64, not '1e9'");
  for (const std::string bad : {"nan", "inf", "1e300", "x"})
    EXPECT_EQ(nccl_error(changed(good, "\"400000\"", '"' + bad + '"')),
              "n:12:11: speed of <net> requires a number up to 1e12, not '" + bad + "'");
  EXPECT_EQ(nccl_error(changed(good, " busid=\"0000:82:00.0\"", "")), "n:19:7: <pci> has no busid");
  EXPECT_EQ(nccl_error(machine({"<gpu rank=\"0\"/><gpu rank=\"1\"/>"})),
            "n:3:59: a second GPU at one busid (MLOPart) is not supported");
  EXPECT_EQ(nccl_error(machine({"<gpu rank=\"0\"/>"})), "n: a network requires at least two NPUs, not 1");
  EXPECT_EQ(nccl_error(machine({"<gpu rank=\"0\"><xgmi target=\"a\" count=\"1\"/></gpu>"}), ",rates=nominal"),
            "n:3:58: nominal rates of xGMI are unknown; use rates=nccl");
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "<pci busid=\"" + std::to_string(i) + "\">";
  for (int i = 0; i < 70; ++i) deep += "</pci>";
  EXPECT_NE(nccl_error("<system><cpu>" + deep + "</cpu></system>").find("PCI devices nested more than 64 deep"),
            std::string::npos);
}

TEST(NcclTopologies, NoteWhatIsOdd) {
  EXPECT_EQ(nccl(changed(nccl_sample(), "version=\"1\"", "version=\"3\"")).notes,
            (std::vector<std::string>{"version 3 of topologies is read as version 1"}));
  EXPECT_TRUE(nccl(changed(nccl_sample(), "version=\"1\"", "version=\"2\"")).notes.empty());
  EXPECT_EQ(
      nccl(machine({"<gpu rank=\"0\"><nvlink target=\"0000:07:00.0\" count=\"1\" tclass=\"0x030200\"/></gpu>",
                    "<gpu rank=\"1\"><nvlink target=\"0000:00:00.0\" count=\"2\" tclass=\"0x030200\"/></gpu>"}))
          .notes,
      (std::vector<std::string>{"1 link leads to a missing device, first in line 3: omitted",
                                "asymmetric NVLinks, such as from gpu1 to gpu0",
                                "rank 0 has no <nvlink> to another device, unlike 1 other GPU: messages use PCI"}));
}

TEST(NcclTopologies, RefuseOptions) {
  EXPECT_EQ(nccl_usage(",hosts=2"),
            "network 'n': hosts=2 requires fabric=rail, fabric=switch or fabric=leaf-spine");
  EXPECT_EQ(nccl_usage(",hosts=1000000000,fabric=rail"),
            "network 'n': hosts requires a whole number from 1 to 16777216, not '1000000000'");
  EXPECT_EQ(nccl_usage(",fabric=rails"),
            "network 'n': fabric must be one of none, switch, rail, leaf-spine, not 'rails'; did you mean rail?");
  EXPECT_EQ(nccl_usage(",lat=nvlnk:5ns"), "network 'n': unknown kind of latency 'nvlnk'; did you mean nvlink?");
  EXPECT_EQ(nccl_usage(",lat=net:x"),
            "network 'n': lat requires times such as nvlink:500ns,pci:700ns,net:2us, not 'net:x'");
  EXPECT_EQ(nccl_usage(",leaf=2"), "network 'n': leaf and over require fabric=leaf-spine");
  EXPECT_EQ(nccl_usage(",fabric=leaf-spine,over=nan"),
            "network 'n': over requires a number of at least 1, not 'nan'");
  EXPECT_EQ(nccl_error(nccl_sample(), ",hosts=16000000,fabric=rail"), "n: 32000000 NPUs; the limit is 16777216");
  EXPECT_NE(
      nccl_error(nccl_sample(), ",hosts=100000,fabric=leaf-spine").find("shortest routes between 200000 NPUs"),
      std::string::npos);
}

// As in RCCL: a bridge for each element, and separate numbers by kind of device.
TEST(NcclTopologies, BusidsThatAreGivenTwice) {
  EXPECT_EQ(nccl(changed(nccl_sample(), "0000:82", "0000:81")).npus(), 2);  // of a GPU and its bridge
  const std::string bridges =
      "<system version=\"2\">\n<cpu numaid=\"0\" arch=\"x86_64\">\n"
      "<pci busid=\"0000:c5:00.0\" class=\"0x060400\"><pci busid=\"0000:01:00.0\" class=\"0x038000\">"
      "<gpu dev=\"0\" gcn=\"908\" rank=\"0\"/></pci></pci>\n"
      "<pci busid=\"0000:c5:00.0\" class=\"0x060400\"><pci busid=\"0000:02:00.0\" class=\"0x038000\">"
      "<gpu dev=\"1\" gcn=\"908\" rank=\"1\"/></pci></pci>\n</cpu>\n</system>\n";
  const NetworkConfig config = nccl(bridges);
  EXPECT_EQ(config.notes,
            (std::vector<std::string>{"busid 0000:c5:00.0 in line 4 is also in line 3: read as a second bridge"}));
  EXPECT_EQ(nccl_way(config, 0, 1), "npu0 pci0000_c5_00.0 cpu0 pci0000_c5_00.0_2 npu1");
}

std::vector<std::string> odd_gpus(const std::vector<std::string>& gpus) { return nccl(machine(gpus)).notes; }

TEST(NcclTopologies, GpusThatDifferAreNoted) {
  using Notes = std::vector<std::string>;
  const auto gpu = [](int rank, int sm, int links) {
    return "<gpu dev=\"0\" sm=\"" + std::to_string(sm) + "\" rank=\"" + std::to_string(rank) + "\">" +
           (links == 0 ? "" : "<nvlink target=\"0000:a0:00.0\" count=\"" + std::to_string(links) + "\"/>") +
           "</gpu>";
  };
  EXPECT_EQ(odd_gpus({gpu(0, 90, 18), gpu(1, 90, 18)}), Notes{});
  EXPECT_EQ(odd_gpus({gpu(0, 90, 18), gpu(1, 90, 0)}),
            Notes{"rank 1 has no <nvlink>, unlike 1 other GPU of sm 90: messages use PCI"});
  EXPECT_EQ(odd_gpus({gpu(0, 90, 0), gpu(1, 90, 0)}).size(), 1U);
  EXPECT_EQ(odd_gpus({gpu(0, 89, 0), gpu(1, 89, 0)}), Notes{});  // they have no NVLink
  EXPECT_EQ(odd_gpus({gpu(0, 90, 18), gpu(1, 90, 18), gpu(2, 90, 12), gpu(3, 90, 18)}),
            Notes{"rank 2 has 12 NVLinks, 3 other GPUs of sm 90 have 18 NVLinks"});
  EXPECT_EQ(odd_gpus({gpu(0, 90, 18), gpu(1, 90, 12), gpu(2, 90, 12), gpu(3, 90, 18)}), Notes{});
  std::string slow = machine({gpu(0, 80, 12), gpu(1, 80, 12), gpu(2, 80, 12), gpu(3, 80, 12)});
  slow = changed(slow, "<pci busid=\"0000:03:00.0\"", "<pci link_width=\"8\" busid=\"0000:03:00.0\"");
  EXPECT_EQ(nccl(slow).notes, Notes{"rank 3 has PCI of 6GB/s, 3 other GPUs of sm 80 have PCI of 12GB/s"});
}

}  // namespace
}  // namespace convert
