// SPDX-License-Identifier: MIT
#include "config/nccl_graphs.h"

#include <gtest/gtest.h>

#include <string>

#include "common/expect_error.h"

namespace convert {
namespace {

using Rings = std::vector<std::vector<std::int32_t>>;

std::string one_graph(const std::string& attributes, const std::string& channels) {
  return "<graphs version=\"1\"><graph " + attributes + ">" + channels + "</graph></graphs>";
}
std::string ring_of(const std::string& channels, int count, int cross_nic = 0) {
  return one_graph("id=\"0\" pattern=\"4\" crossnic=\"" + std::to_string(cross_nic) + "\" nchannels=\"" +
                       std::to_string(count) + "\"",
                   channels);
}
std::string channel(const std::string& gpus) {
  std::string text = "<channel>";
  for (const char rank : gpus) {
    text += rank == 'n' ? "<net dev=\"1\"/>"
                        : std::string("<gpu dev=\"0x") + rank + "\" rank=\"" + std::to_string(rank - '0') + "\"/>";
  }
  return text + "</channel>";
}

std::string graph_error(const std::string& text) {
  return test::error_text([&] { (void)read_nccl_graphs("g.xml", text); }, "graph");
}
std::string ring_error(const std::string& channels, int count) { return graph_error(ring_of(channels, count)); }

TEST(NcclGraphs, ReadsChannelsAndWhatNcclSaysOfThem) {
  const auto graphs = read_nccl_graphs(
      "g.xml", one_graph("id=\"0\" pattern=\"4\" nchannels=\"1\" speedintra=\"20\" speedinter=\"12.5\" "
                         "typeintra=\"NVL\" typeinter=\"PIX\"",
                         channel("n201n")) +
                   "\n");
  ASSERT_EQ(graphs.size(), 1U);
  const NcclGraph& g = graphs[0];
  EXPECT_TRUE(g.is_ring());
  EXPECT_EQ(pattern_name(g), "ring");
  EXPECT_EQ(g.speed_intra + g.type_intra + g.speed_inter + g.type_inter, "20NVL12.5PIX");
  EXPECT_EQ(g.channels[0].ranks, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(g.channels[0].first_net + g.channels[0].last_net, "11");
}

TEST(NcclGraphs, FilesWithoutRanksNumberTheGpusOfAHost) {
  const auto graphs = read_nccl_graphs(
      "g.xml", ring_of("<channel><gpu dev=\"10\"/><gpu dev=\"0x9\"/><gpu dev=\"0xb\"/></channel>", 1));
  EXPECT_EQ(graphs[0].first_rank, 9);
  EXPECT_EQ(graphs[0].channels[0].ranks, (std::vector<std::int32_t>{1, 0, 2}));
}

TEST(NcclGraphs, HostsFollowEachOther) {
  const auto ring = [](int cross_nic) {
    return read_nccl_graphs("g.xml", ring_of(channel("n45n") + channel("n54n"), 2, cross_nic))[0];
  };
  EXPECT_EQ(rings_of_hosts(ring(0), 1), (Rings{{0, 1}, {1, 0}}));
  EXPECT_EQ(rings_of_hosts(ring(0), 3), (Rings{{0, 1, 2, 3, 4, 5}, {1, 0, 3, 2, 5, 4}}));
  EXPECT_EQ(rings_of_hosts(ring(2), 3), (Rings{{0, 1, 3, 2, 4, 5}, {1, 0, 2, 3, 5, 4}}));
}

TEST(NcclGraphs, OtherGraphsMayNameOneGpu) {
  const auto graphs =
      read_nccl_graphs("g.xml", one_graph("id=\"3\" pattern=\"5\" nchannels=\"2\"", channel("7") + channel("7")));
  EXPECT_FALSE(graphs[0].is_ring());
  EXPECT_EQ(pattern_name(graphs[0]), "NVLS");
  EXPECT_EQ(pattern_name({.pattern = 0}), "pattern 0");
  EXPECT_EQ(pattern_name({.pattern = INT32_MAX}), "pattern 2147483647");
}

TEST(NcclGraphs, RefusesRingsThatAreNone) {
  EXPECT_EQ(ring_error(channel("0120"), 1), "g.xml:1:158: rank 0 is repeated in a ring");
  EXPECT_EQ(ring_error(channel("013"), 1),
            "g.xml:1:133: rank 3 is not one of the 3 GPUs of the first channel, numbered from 0 upward");
  EXPECT_EQ(ring_error(channel("012") + channel("02"), 2),
            "g.xml:1:168: rank 1 is missing; the first channel has 3 GPUs");
  EXPECT_EQ(ring_error(channel("012") + channel("123"), 2),
            "g.xml:1:227: rank 3 is not one of the 3 GPUs of the first channel, numbered from 0 upward");
  EXPECT_EQ(ring_error("<channel/>", 1), "g.xml:1:74: a channel of a ring without GPUs");
  EXPECT_EQ(ring_error(channel("0n1"), 1),
            "g.xml:1:108: a network device between GPUs; a channel may have network devices only at its ends");
  EXPECT_EQ(ring_error(channel("01"), 2), "g.xml:1:21: graph 0 has 1 channel, not 2 as declared by nchannels");
  EXPECT_EQ(ring_error("<channel><gpu dev=\"0\" rank=\"0\"/><gpu dev=\"1\"/></channel>", 1),
            "g.xml:1:106: some GPUs have a rank, others have no rank");
  EXPECT_EQ(ring_error("<channel><gpu dev=\"-1\"/></channel>", 1),
            "g.xml:1:83: dev of <gpu> requires a whole number up to 2147483647, not '-1'");
  EXPECT_EQ(ring_error("<channel><gpu/></channel>", 1), "g.xml:1:83: <gpu> has no dev");
  EXPECT_EQ(ring_error("<channel><cpu dev=\"0\"/></channel>", 1),
            "g.xml:1:83: <cpu> instead of the expected <gpu>");
}

TEST(NcclGraphs, RefusesOtherFiles) {
  EXPECT_EQ(graph_error("<graphs version=\"2\"/>"), "g.xml:1:1: unknown version '2' of graph files; known: 1");
  EXPECT_EQ(graph_error("<graphs/>"), "g.xml:1:1: unknown version '' of graph files; known: 1");
  EXPECT_EQ(
      graph_error("<system version=\"1\"/>"),
      "g.xml:1:1: the root is <system>, not <graphs>; NCCL writes its chosen channels to NCCL_GRAPH_DUMP_FILE");
  EXPECT_EQ(graph_error("<graphs version=\"1\"><graph id=\"0\" nchannels=\"1\"/></graphs>"),
            "g.xml:1:21: <graph> has no pattern");
  EXPECT_EQ(graph_error(std::string(max_nccl_graphs_bytes + 1, ' ')),
            "g.xml: larger than 16 MiB, the limit of an NCCL graph file");
  const auto xml_error = [](const std::string& text) {
    return test::error_text([&] { (void)read_nccl_graphs("g.xml", text); }, "xml");
  };
  const std::string whole = ring_of(channel("01"), 1);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_NE(xml_error(whole.substr(0, cut)), "") << "cut at " << cut;
  EXPECT_EQ(xml_error("<!DOCTYPE graphs><graphs version=\"1\"/>"),
            "g.xml:1:11: a document type declaration is not accepted in a graph file of NCCL; remove it");
}

TEST(NcclGraphs, ManyElements) {
  std::string gpus;
  for (int i = 0; i < 300'000; ++i) gpus += "<gpu dev=\"" + std::to_string(i) + "\"/>";
  const auto graphs = read_nccl_graphs("g.xml", ring_of("<channel>" + gpus + "</channel>", 1));
  EXPECT_EQ(graphs[0].channels[0].ranks.size(), 300'000U);
}

}  // namespace
}  // namespace convert
