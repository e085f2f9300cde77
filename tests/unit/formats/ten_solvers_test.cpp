// SPDX-License-Identifier: MIT
// ten: results for the spellings of TACOS and TE-CCL, and every rejection with its location.
#include <gtest/gtest.h>

#include "common/replaced.h"
#include "ten_sample.h"

namespace convert::test {
namespace {

TEST(ReadTenOfSolvers, TacosCellsAreToldByTheHeader) {
  Diagnostics diagnostics;
  const Schedule order = read_ten(ten_file("okay-tacos.csv"), diagnostics);
  const Schedule timed = read_ten(ten_file("okay-tacos-timed.csv"), diagnostics);
  const Schedule bean = read_ten(ten_file("okay-bean-timed.csv"), diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(order.time, Schedule::Time::order);
  ASSERT_EQ(order.transfers.size(), 6U);
  EXPECT_EQ(order.transfers[3].chunk, 0U);
  EXPECT_EQ(order.transfers[3].start, 1);
  EXPECT_DOUBLE_EQ(order.wires[0].latency_us, 0.5);
  EXPECT_EQ(timed.claimed_ps, 40'062'500);
  EXPECT_EQ(bean.claimed_ps, timed.claimed_ps);
  EXPECT_EQ(bean.wires.size(), 4U);
  ASSERT_EQ(timed.transfers.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(timed.transfers[i].start, bean.transfers[i].start);
    EXPECT_EQ(timed.transfers[i].end, bean.transfers[i].end);
  }
  EXPECT_EQ(timed.transfers[1].start, 20'031'250);
  EXPECT_EQ(listed(order, order.chunks[2].pre)[0], 2U);
}

TEST(ReadTenOfSolvers, RefusesBrokenTacos) {
  const std::string good = ten_file("okay-tacos-timed.csv");
  const std::vector<TenRefusal> cases = {
      {"NPUs Count,3", "NPUs Count,0", "1: error: the number of nodes must be 1 to 1048576 [R0]"},
      {"Links Count,4", "Links Count,5", "2: error: there are 4 links, not 5 [R0]"},
      {"Links Count,4", "Link Count,4", "2:1: error: unknown key 'Link Count' [R0]"},
      {"Chunks Count,3", "Chunks Count,2000000000", "3: error: 2000000000 chunks, but only 6 transfers [R0]"},
      {"1048576,B", "1048576,KB", "4:20: error: the unit of Chunk Size must be B [R0]"},
      {"40062500,ps", "40062500,us", "5:26: error: the unit of Collective Time must be ps or ns [R0]"},
      {"Chunks (ID:ps)", "Chunks (ps)",
       "6:44: error: the fifth column must be 'Chunks', 'Chunks (ID:ps)' or 'Chunks (ID:ns:ns)' [R0]"},
      {"0:20031250:0", "0:20031250", "7:12: error: CHUNK:END:START in ps is expected [R0]"},
      {"0:20031250:0", "0", "7:12: error: CHUNK:END:START in ps is expected [R0]"},
      {"0:20031250:0", "None", "7:12: error: CHUNK:END:START in ps is expected [R0]"},
      {"0:20031250:0", "0:0:20031250", "7: error: transfer 0 (chunk 0, 0->1) ends before it starts [R0]"},
      {"0:20031250:0", "7:20031250:0", "7: error: transfer 0 moves chunk 7, which does not exist [R0]"},
      {"0,1,500,50", "0,1,500,fast",
       "7:9: error: the bandwidth in GB/s (2^30 bytes) must be a number, not 'fast' [R0]"},
      {"1,0,500,50,None", "0,1,500,50,None", "8: error: link 0->1 is declared twice; first in line 7 [R0]"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(good, c.from, c.to)), c.error) << c.to;
  EXPECT_EQ(ten_findings("NPUs Count,3\n"), "1: error: the header 'SrcID,DestID,…' is missing [R0]");
  EXPECT_EQ(ten_findings(replaced(ten_file("okay-tacos.csv"), "50,0,2", "50,0:1,2")),
            "6:12: error: the number of a chunk is expected [R0]");
}

TEST(ReadTenOfSolvers, TecclHasRelaysAndEpochs) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(ten_file("okay-teccl.json"), diagnostics);
  EXPECT_EQ(s.nodes, 3U);
  EXPECT_EQ(s.relays, std::vector<std::uint32_t>{1});
  EXPECT_FALSE(s.wires_told);
  EXPECT_EQ(s.wires.size(), 4U);
  EXPECT_EQ(s.step_ps, 1'000'000'000);
  EXPECT_EQ(s.claimed_ps, 4'000'000'000);
  ASSERT_EQ(s.transfers.size(), 4U);
  EXPECT_EQ(s.transfers[0].end, 1);
  EXPECT_EQ(s.transfers[1].end, 3) << "the demand is met by epoch 2";
  EXPECT_EQ(s.collective, Collective::all_gather);
  const std::string good = ten_file("okay-teccl.json");
  const std::vector<TenRefusal> cases = {
      {"\"7-Flows\"", "\"7-Flow\"", "error: '7-Flows' (or '6-Flows') is missing [R0]"},
      {"Chunk 0 from 0 traveled over 0->1 in", "Chunk 0 from 0 traveled 0->1 in",
       "10:5: error: \"Chunk C from N traveled over N->N in epoch E\" is expected"},
      {"Chunk 0 from 0 traveled over 0->1", "Chunk 4 from 0 traveled over 0->1",
       "10: error: no node demands chunk 4 of node 0 [R0]"},
      {"epoch 0\",", "epoch 4000000000\",",
       "10:5: error: \"Chunk C from N traveled over N->N in epoch E\" is expected"},
      {"\"GPU 0\": {\"GPU 2\"", "\"CPU 0\": {\"GPU 2\"", "6:5: error: a key such as \"GPU 0\" is expected"},
      {"0.001", "-1",
       "2:23: error: '1-Epoch_Duration' must be a number of seconds of at least 0 and less than 53 days"},
      {"0.001", "0", "error: a step must take more than 0 µs [R0]"},
      {"met by epoch 2", "met by epoch 0",
       "16:5: error: the path does not lead from the chunk to the node of the demand in time"},
      {"\"0->1 in epoch 0\"", "\"0->1\"",
       "16:55: error: \"N->N in epoch E\" or \"N->N with volume V in epoch E\" is expected"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(good, c.from, c.to)), c.error) << c.to;
  EXPECT_THROW((void)written_ten(s), Error);
}

TEST(ReadTenOfSolvers, TecclMovesPartsOfChunks) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(ten_file("okay-teccl-alltoall.json"), diagnostics);
  EXPECT_EQ(diagnostics.warnings(), 0U);
  EXPECT_EQ(s.nodes, 4U);
  EXPECT_EQ(s.relays, std::vector<std::uint32_t>{0});
  EXPECT_EQ(s.collective, Collective::all_to_all);
  ASSERT_EQ(s.chunks.size(), 60U) << "6 pairs, in tenths";
  // 0.3 of the chunk from 1 for 3 goes over 2, 0.7 directly; both arrive when the demand is met.
  std::size_t direct = 0, around = 0;
  for (const Schedule::Transfer& t : s.transfers) {
    const bool demanded = listed(s, s.chunks[t.chunk].pre)[0] == 1 && listed(s, s.chunks[t.chunk].post)[0] == 3;
    if (!demanded) continue;
    direct += t.src == 1 && t.dst == 3 && t.start == 0 && t.end == 3 ? 1 : 0;
    around += (t.src == 1 && t.dst == 2 && t.start == 0) || (t.src == 2 && t.dst == 3 && t.end == 4) ? 1 : 0;
  }
  EXPECT_EQ(direct, 7U);
  EXPECT_EQ(around, 6U);
  const std::string good = ten_file("okay-teccl-alltoall.json");
  const std::vector<TenRefusal> cases = {
      {"over 2->1 with volume 1.0 in epoch 1", "over 2->1 with volume 1.0 in epoch 2",
       "21: error: a path takes chunk 0 from 2 over 2->1 in epoch 1, but there is no such flow [R0]"},
      {"with volume 0.7 in epoch 0\"]", "with volume 0.6 in epoch 0\"]",
       "5: warning: 1 flow carried volume that no path uses, which is omitted, such as chunk 2 from 1 over 1->3 in "
       "epoch 0 [R7]\n17: error: the paths of chunk 2 from 1 for node 3 do not add up to the whole chunk [R0]"},
      {"2->3 with volume 0.3 in epoch 1\"", "2->3 with volume 0.2 in epoch 1\"",
       "18:52: error: the hops of a path must be consecutive and have one volume"},
      {"[1, \"2->3", "[1, \"1->3", "18:52: error: the hops of a path must be consecutive and have one volume"},
      {"with volume 1.0 in epoch 0\"]", "with volume 0 in epoch 0\"]",
       "20:60: error: \"N->N in epoch E\" or \"N->N with volume V in epoch E\" is expected"},
      {"\"7-chunk paths\"", "\"chunk paths\"",
       "error: the paths of the demands are missing ('7-chunk paths', '8-Chunk paths') [R0]"},
      {"1->3 with volume 0.7 in epoch 0\",", "1->3 with volume 0.9 in epoch 0\",",
       "5: warning: 1 flow carried volume that no path uses, which is omitted, such as chunk 2 from 1 over 1->3 in "
       "epoch 0 [R7]"},
      {"1->3 with volume 0.7 in epoch 0\",", "1->3 with volume 0.35 in epoch 0\",",
       "5: warning: 1 flow with less volume than the paths through it, whose volume is used, such as chunk 2 from "
       "1 over 1->3 in epoch 0 [R7]"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(good, c.from, c.to)), c.error) << c.to;
}

// A dispatch that omits a pair is not an all-to-all.
TEST(ReadTenOfSolvers, TecclTellsItsCollectiveByItsDemands) {
  const std::string demand =
      R"(    "Demand at 1 for chunk 0 from 2 met by epoch 1": [[[1, "2->1 with volume 1.0 in epoch 1"]]],)"
      "\n";
  const std::string flow = R"(    "Chunk 0 from 2 traveled over 2->1 with volume 1.0 in epoch 1",)"
                           "\n";
  const std::string partial = replaced(replaced(ten_file("okay-teccl-alltoall.json"), demand, ""), flow, "");
  EXPECT_EQ(
      ten_findings(partial),
      "16: warning: the demands do not match all_to_all and are taken as custom: no chunk goes from node 2 to node "
      "1, which all_to_all requires [R7]\nf:16: note: hint: --from ten,collective=all_to_all reports an error "
      "instead");
  Diagnostics diagnostics;
  EXPECT_EQ(read_ten(partial, diagnostics).collective, Collective::custom);
  const auto as = [&](const char* name, const std::string& text) {
    const FormatOptions options(std::vector<std::pair<std::string, std::string>>{{"collective", name}});
    return find_format("ten").read_schedule(text, "t", options, diagnostics).collective;
  };
  EXPECT_EQ(as("AllToAll", partial), Collective::all_to_all) << "which check_schedule refuses";
  EXPECT_EQ(as("a2a", ten_file("okay-teccl-alltoall.json")), Collective::all_to_all);
  EXPECT_THROW((void)as("all_gather", ten_file("okay-a2a3.ten.csv")), Error);
  EXPECT_THROW((void)as("gossip", partial), Error);
}

TEST(ReadTenOfSolvers, PartsOfAChunkAddUpToIt) {
  Diagnostics diagnostics;
  const FormatOptions options(std::vector<std::pair<std::string, std::string>>{{"chunk_size", "1003"}});
  const Schedule s =
      find_format("ten").read_schedule(ten_file("okay-teccl-alltoall.json"), "t", options, diagnostics);
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < 10; ++c) sum += bytes_of(s, static_cast<std::uint32_t>(c)).value();
  EXPECT_EQ(sum, 1003);
  EXPECT_EQ(bytes_of(s, 0), 101);
  EXPECT_EQ(bytes_of(s, 9), 100);
  const FormatOptions small(std::vector<std::pair<std::string, std::string>>{{"chunk_size", "9"}});
  EXPECT_THROW(
      (void)find_format("ten").read_schedule(ten_file("okay-teccl-alltoall.json"), "t", small, diagnostics), Error);
}

}  // namespace
}  // namespace convert::test
