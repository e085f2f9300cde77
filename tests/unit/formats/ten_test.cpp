// SPDX-License-Identifier: MIT
// ten: results for its JSON and CSV, every rejection with its location, and lossless writing.
#include <gtest/gtest.h>

#include "common/expect_error.h"
#include "common/replaced.h"
#include "ten_sample.h"

namespace convert::test {
namespace {

const std::string json = R"({"format": "ten-schedule", "version": 1, "name": "two",
 "collective": {"type": "all_gather", "chunk_size_bytes": 1024, "chunk_count": 2,
  "chunks": [{"id": 7, "pre": [0], "post": "all"}, {"id": 3, "pre": [1], "post": [1, 0]}]},
 "topology": {"npu_count": 2, "relay": [], "links": [
  {"src": 0, "dst": 1, "bandwidth_GiBps": 1, "latency_us": 0.5},
  {"src": 1, "dst": 0, "bandwidth_GiBps": 1, "latency_us": 0.5}]},
 "time": {"model": "continuous", "unit": "us", "link_occupancy": "alpha_beta"},
 "collective_time_us": 1.5,
 "transfers": [
  {"id": 0, "src": 0, "dst": 1, "chunk": 7, "start_us": 0, "end_us": 1.5, "op": "copy"},
  {"id": 1, "src": 1, "dst": 0, "chunk": 3, "start_us": 0.000001, "end_us": 1.5}],
 "meta": {"a": [1, {}]}}
)";

const std::string csv =
    "#ten-schedule,1\n#name,a, b\n#collective,all_gather\n#npu_count,2\n#chunk_size_bytes,1024\n"
    "#link,0,1,1,0.5\n#link,1,0,1,0.5\n#chunk,0,0,all\n#chunk,1,1,0;1,99\n"
    "chunk,id,src,dst,start_us,end_us\n0,0,0,1,0,1.5\n1,1,1,0,0,1.5\n";

TEST(ReadTen, JsonKeepsEveryField) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(json, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(s.name, "two");
  EXPECT_EQ(s.collective, Collective::all_gather);
  EXPECT_EQ(s.chunk_bytes, 1024);
  EXPECT_EQ(s.nodes, 2U);
  EXPECT_EQ(s.claimed_ps, 1'500'000);
  EXPECT_EQ(s.meta, R"({"a": [1, {}]})");
  ASSERT_EQ(s.chunks.size(), 2U);
  EXPECT_EQ(s.chunks[0].id, 7);
  EXPECT_TRUE(s.chunks[0].post.all);
  EXPECT_EQ(listed(s, s.chunks[1].post)[0], 0U);
  EXPECT_EQ(s.chunks[1].line, 3U);
  ASSERT_EQ(s.wires.size(), 2U);
  EXPECT_DOUBLE_EQ(s.wires[1].latency_us, 0.5);
  EXPECT_EQ(s.wires[1].line, 6U);
  ASSERT_EQ(s.transfers.size(), 2U);
  EXPECT_EQ(s.transfers[1].chunk, 1U);
  EXPECT_EQ(s.transfers[1].start, 1);
  EXPECT_EQ(s.transfers[1].end, 1'500'000);
  EXPECT_EQ(s.transfers[1].line, 11U);
}

TEST(ReadTen, CsvKeepsEveryField) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(csv, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(s.name, "a,b");
  EXPECT_EQ(bytes_of(s, 0), 1024);
  EXPECT_EQ(bytes_of(s, 1), 99);
  EXPECT_EQ(s.transfers[1].chunk, 1U);
  EXPECT_EQ(s.transfers[1].line, 12U);
  EXPECT_EQ(s.wires[0].line, 6U);
}

TEST(ReadTen, TimesAreExactToAPicosecond) {
  Diagnostics diagnostics;
  const auto start = [&](const std::string& us) {
    return read_ten(replaced(replaced(csv, "0,0,0,1,0,1.5", "0,0,0,1," + us + ",4599999999999"), "1,1,1,0,0,1.5",
                             "1,1,1,0,0,1.5"),
                    diagnostics)
        .transfers[0]
        .start;
  };
  EXPECT_EQ(start("0.0000005"), 1);
  EXPECT_EQ(start("20.03125"), 20'031'250);
  EXPECT_EQ(start("2e1"), 20'000'000);
  EXPECT_EQ(start("9007199254.740993"), 9'007'199'254'740'993);
  EXPECT_EQ(start("4599999999998.000001"), 4'599'999'999'998'000'001);
}

TEST(ReadTen, OptionsSayTheSizeWhereTheFileDoesNot) {
  Diagnostics diagnostics;
  using Values = std::vector<std::pair<std::string, std::string>>;
  const FormatOptions options(Values{{"chunk_size", "2KiB"}});
  EXPECT_EQ(read_ten(replaced(csv, "#chunk_size_bytes,1024\n", ""), diagnostics, options).chunk_bytes, 2048);
  const Error error = thrown_error([&] { (void)read_ten(csv, diagnostics, options); });
  EXPECT_EQ(error.kind(), Error::Kind::usage);
  EXPECT_STREQ(error.what(), "chunk_size=2048: f already states a chunk size: 1024 bytes");
}

TEST(ReadTen, GuessesTheChunksOfAnAllGather) {
  EXPECT_EQ(ten_findings(replaced(replaced(csv, "#chunk,0,0,all\n#chunk,1,1,0;1,99\n", "#chunk_count,2\n"),
                                  "all_gather", "all_gather")),
            "8: warning: the file has no owners of chunks; node c mod 2 is taken as the owner of chunk c [R0]");
  EXPECT_EQ(
      ten_findings(replaced(replaced(csv, "#chunk,0,0,all\n#chunk,1,1,0;1,99\n", ""), "all_gather", "broadcast")),
      "error: the chunks are missing; list the nodes that hold each chunk at the beginning and at the end [R0]");
  EXPECT_EQ(ten_findings(replaced(csv, "#chunk,0,0,all\n#chunk,1,1,0;1,99\n", "#chunk_count,2000000000\n")),
            "8: error: 2000000000 chunks, but only 2 transfers [R0]");
}

TEST(ReadTen, RefusesBrokenJson) {
  const std::vector<TenRefusal> cases = {
      {R"("version": 1, )", "", "error: 'version' is missing [R0]"},
      {R"("version": 1)", R"("version": 3)", "1:39: error: only versions 1 and 2 are supported"},
      {R"("ten-schedule")", R"("ten")", "1:12: error: 'format' must be \"ten-schedule\""},
      {R"("name")", R"("nam")", "1:43: error: unknown key 'nam'; did you mean 'name'?"},
      {R"("name": "two")", R"("version": 1)", "1:42: error: 'version' is given twice"},
      {R"("type": "all_gather", )", "", "2:16: error: 'collective' requires 'type'"},
      {R"("all_gather")", R"("allgather")",
       "2:25: error: 'type' must be one of all_gather, reduce_scatter, all_reduce, broadcast, reduce, gather, "
       "scatter, "
       "all_to_all, custom"},
      {R"("chunk_size_bytes": 1024)", R"("chunk_size_bytes": 0)",
       "2: error: the size of a chunk must be at least 1 byte [R0]"},
      {R"("chunk_size_bytes": 1024)", R"("chunk_size_bytes": -1)",
       "2:59: error: 'chunk_size_bytes' must not be negative"},
      {R"("chunk_count": 2)", R"("chunk_count": 3)", "2: error: there are 2 chunks, not 3 [R0]"},
      {R"("id": 7)", R"("id": 3)", "3: error: chunk 3 is declared twice [R0]"},
      {R"("pre": [0], )", "", "3:14: error: a chunk requires 'id', 'pre' and 'post'"},
      {R"("pre": [0])", R"("pre": [])", "3: error: no node holds chunk 7 at the beginning [R0]"},
      {R"("pre": [0])", R"("pre": [2])",
       "3: error: node 2 does not exist; there are 2 nodes, numbered from 0 [R0]"},
      {R"("pre": [0])", R"("pre": [0, 0])", "3: error: node 0 occurs twice in a list of nodes [R0]"},
      {R"("post": "all")", R"("post": "some")", "3:44: error: 'post' must be \"all\" or a list of nodes"},
      {R"("post": "all")", R"("post": "all", "size_bytes": 0)", "3: error: a chunk must have at least 1 byte [R0]"},
      {R"("npu_count": 2, )", "", "4:14: error: 'topology' requires 'npu_count' and 'links'"},
      {R"("npu_count": 2)", R"("npu_count": 0)", "4: error: the number of nodes must be 1 to 1048576 [R0]"},
      {R"("npu_count": 2)", R"("npu_count": 4000000000)",
       "4: error: the number of nodes must be 1 to 1048576 [R0]"},
      {R"("relay": [])", R"("relay": [1, 1])", "4: error: a relay is named twice [R0]"},
      {R"("relay": [])", R"("relay": [2])",
       "4: error: node 2 does not exist; there are 2 nodes, numbered from 0 [R0]"},
      {R"("src": 1, "dst": 0, "bandwidth_GiBps")", R"("src": 0, "dst": 1, "bandwidth_GiBps")",
       "6: error: link 0->1 is declared twice; first in line 5 [R0]"},
      {R"("src": 1, "dst": 0, "bandwidth_GiBps")", R"("src": 0, "dst": 0, "bandwidth_GiBps")",
       "6: error: a link from node 0 to itself [R0]"},
      {R"("src": 1, "dst": 0, "bandwidth_GiBps")", R"("src": 2, "dst": 0, "bandwidth_GiBps")",
       "6: error: node 2 does not exist; there are 2 nodes, numbered from 0 [R0]"},
      {R"("bandwidth_GiBps": 1)", R"("bandwidth_GiBps": 0)",
       "5: error: a link's bandwidth must be more than 0 GiB/s, its latency at least 0 µs [R0]"},
      {R"("bandwidth_GiBps": 1)", R"("bandwidth_GiBps": NaN)", "5:43: error: 'bandwidth_GiBps' must be a number"},
      {R"("bandwidth_GiBps": 1)", R"("bandwidth_GiBps": 1e999)", "5:43: error: 'bandwidth_GiBps' must be a number"},
      {R"("bandwidth_GiBps": 1, )", "",
       "5:3: error: a link requires 'src', 'dst', 'bandwidth_GiBps' and 'latency_us'"},
      {R"("latency_us": 0.5)", R"("latency_us": -1)",
       "5: error: a link's bandwidth must be more than 0 GiB/s, its latency at least 0 µs [R0]"},
      {R"("continuous")", R"("discrete")", "7:20: error: 'model' must be one of continuous, steps, order"},
      {R"("unit": "us")", R"("unit": "ns")", "7:42: error: 'unit' must be \"us\""},
      {R"("alpha_beta")", R"("alpha")", "7:66: error: 'link_occupancy' must be one of alpha_beta, beta"},
      {R"("continuous")", R"("steps")",
       "10: error: transfer 0 (chunk 7, 0->1) has times of model continuous, but the schedule has model steps "
       "[R0]"},
      {R"("model": "continuous")", R"("model": "continuous", "step_us": 0)",
       "7: error: a step must take more than 0 µs [R0]"},
      {R"("collective_time_us": 1.5)", R"("collective_time_us": -1.5)",
       "8:24: error: 'collective_time_us' must be a number of microseconds of at least 0 and less than 53 days"},
      {R"("collective_time_us": 1.5)", R"("collective_time_us": 4600000000001)",
       "8:24: error: 'collective_time_us' must be a number of microseconds of at least 0 and less than 53 days"},
      {R"("transfers": [)", R"("transfers": 7, "x": [)", "9:15: error: '[' is expected"},
      {R"("id": 0, "src")", R"("src")",
       "10:3: error: a transfer requires 'id', 'src', 'dst' and 'chunk' (or 'chunks')"},
      {R"("id": 0, "src")", R"("id": 1, "src")", "11: error: transfer 1 is declared twice [R0]"},
      {R"("id": 0, "src")", R"("id": -1, "src")", "10:3: error: an id, a step or a position must not be negative"},
      {R"("src": 0, "dst": 1, "chunk")", R"("src": 9, "dst": 1, "chunk")",
       "10: error: node 9 does not exist; there are 2 nodes, numbered from 0 [R0]"},
      {R"("src": 0, "dst": 1, "chunk")", R"("src": 1, "dst": 1, "chunk")",
       "10: error: transfer 0 (chunk 7, 1->1) has the same source and destination [R0]"},
      {R"("chunk": 7)", R"("chunk": 8)", "10: error: transfer 0 moves chunk 8, which does not exist [R0]"},
      {R"("start_us": 0,)", R"("step": 0,)",
       "10:3: error: a transfer requires 'start_us' and 'end_us', 'step', or 'seq'"},
      {R"("end_us": 1.5, "op")", R"("op")",
       "10:3: error: a transfer requires 'start_us' and 'end_us', 'step', or 'seq'"},
      {R"("start_us": 0,)", R"("start_us": 2,)",
       "10: error: transfer 0 (chunk 7, 0->1) ends before it starts [R0]"},
      {R"("copy")", R"("add")", "10:81: error: 'op' must be one of copy, reduce"},
      {R"("meta": {"a": [1, {}]})", R"("meta": 1)", "12:10: error: 'meta' must be an object"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(json, c.from, c.to)), c.error) << c.to;
  EXPECT_EQ(ten_findings(R"({"format": "ten-schedule", "version": 1})"), "error: 'collective' is missing [R0]");
}

TEST(ReadTen, RefusesCutJsonWhereItEnds) {
  for (std::size_t size = 1; size + 2 < json.size(); size += 7) {
    const std::string error = ten_findings(json.substr(0, size));
    EXPECT_NE(error.find("error"), std::string::npos) << size;
  }
}

TEST(ReadTen, RefusesBrokenCsv) {
  const std::vector<TenRefusal> cases = {
      {"#ten-schedule,1\n", "#ten-schedule,3\n", "1:15: error: only versions 1 and 2 are supported [R0]"},
      {"#collective,all_gather\n", "", "error: #collective is missing [R0]"},
      {"#npu_count,2\n", "", "error: #npu_count is missing [R0]"},
      {"all_gather", "gossip", "3:13: error: unknown collective 'gossip' [R0]"},
      {"#npu_count,2", "#npu_cont,2", "4:1: error: unknown key '#npu_cont'; did you mean '#npu_count'? [R0]"},
      {"#npu_count,2", "#comment", "4:1: error: unknown key '#comment' [R0]"},
      {"#npu_count,2", "#npu_count,2,3", "4:14: error: #npu_count has 2 fields, but this line has 3 [R0]"},
      {"#npu_count,2", "#npu_count", "4:11: error: #npu_count has 2 fields, but this line has 1 [R0]"},
      {"#npu_count,2", "#npu_count,2\n#npu_count,2", "5:1: error: #npu_count is given twice [R0]"},
      {"#npu_count,2", "#npu_count,x",
       "4:12: error: #npu_count must be a whole number from 0 to 1048576, not 'x' [R0]"},
      {"#chunk_size_bytes,1024", "#chunk_size_bytes,0",
       "5: error: the size of a chunk must be at least 1 byte [R0]"},
      {"#link,0,1,1,0.5", "#link,0,1,1", "6:12: error: #link has 5 fields, but this line has 4 [R0]"},
      {"#link,0,1,1,0.5", "#link,0,1,nan,0.5",
       "6:11: error: the bandwidth in GiB/s must be a number, not 'nan' [R0]"},
      {"#link,0,1,1,0.5", "#link,0,1,1,0.5,-1",
       "6:17: error: rounds must be a whole number from 0 to 2147483647, not '-1' [R0]"},
      {"#link,0,1,1,0.5", "#link_count,3\n#link,0,1,1,0.5", "6: error: there are 2 links, not 3 [R0]"},
      {"#chunk,0,0,all", "#chunk,0,0", "8:11: error: #chunk has 4 fields, but this line has 3 [R0]"},
      {"#chunk,0,0,all", "#chunk,0,0;,all", "8:10: error: nodes must be 'all' or numbers separated by ';' [R0]"},
      {"#chunk,0,0,all", "#chunk,0,0;1;0,all", "8: error: node 0 occurs twice in a list of nodes [R0]"},
      {"#chunk,0,0,all", "#chunk,0,,all", "8: error: no node holds chunk 0 at the beginning [R0]"},
      {"#chunk,0,0,all", "#relay,1,1\n#chunk,0,0,all", "8: error: a relay is named twice [R0]"},
      {"#chunk,0,0,all", "#time_model,soon\n#chunk,0,0,all",
       "8:13: error: #time_model must be continuous, steps or order [R0]"},
      {"#chunk,0,0,all", "#link_occupancy,gamma\n#chunk,0,0,all",
       "8:17: error: #link_occupancy must be alpha_beta or beta [R0]"},
      {"#chunk,0,0,all", "#step_us,0\n#chunk,0,0,all", "8: error: a step must take more than 0 µs [R0]"},
      {"#chunk,0,0,all", "#meta,{\"a\":\n#chunk,0,0,all",
       "8:7: error: #meta must be a JSON object: truncated JSON: the text ends too early [R0]"},
      {"chunk,id", "chunk,ids",
       "10:7: error: unknown column 'ids'; known: id, src, dst, chunk, op, continues, via, and start_us, end_us or "
       "step, steps or "
       "seq [R0]"},
      {"chunk,id", "chunk,chunk", "10:7: error: column 'chunk' is given twice [R0]"},
      {"chunk,id,src,dst,", "chunk,src,dst,", "10:30: error: column 'id' is missing [R0]"},
      {",end_us", "", "10:26: error: the columns must be start_us and end_us, or step (and steps), or seq [R0]"},
      {",end_us", ",end_us,seq",
       "10:37: error: the columns must be start_us and end_us, or step (and steps), or seq [R0]"},
      {"start_us,end_us", "step,steps",
       "11:11: error: steps must be a whole number from 0 to 2147483647, not '1.5' [R0]"},
      {"start_us,end_us\n0,0,0,1,0,1.5\n1,1,1,0,0,1.5", "step,steps\n0,0,0,1,0,1\n1,1,1,0,0,1",
       "11: error: transfer 0 (chunk 0, 0->1) has times of model steps, but the schedule has model continuous "
       "[R0]"},
      {"0,0,0,1,0,1.5", "0,0,0,1,0", "11:10: error: a transfer has 6 fields, but this line has 5 [R0]"},
      {"0,0,0,1,0,1.5", "0,0,0,1,-1,1.5",
       "11:9: error: start_us must be a time of at least 0 and less than 53 days, not '-1' [R0]"},
      {"0,0,0,1,0,1.5", "0,0,0,1,0,inf",
       "11:11: error: end_us must be a time of at least 0 and less than 53 days, not 'inf' [R0]"},
      {"0,0,0,1,0,1.5", "#name,b\n0,0,0,1,0,1.5",
       "11:1: error: lines with '#' must precede the column header [R0]"},
      {"0,0,0,1,0,1.5", "5,0,0,1,0,1.5", "11: error: transfer 0 moves chunk 5, which does not exist [R0]"},
      {"1,1,1,0,0,1.5", "1,0,1,0,0,1.5", "12: error: transfer 0 is declared twice [R0]"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(csv, c.from, c.to)), c.error) << c.to;
  EXPECT_EQ(ten_findings("#ten-schedule,1\n#collective,custom\n#npu_count,2\n"),
            "3: error: the column header is missing [R0]");
}

TEST(ReadTen, StepsMustTakeAStepAndEndInTime) {
  const std::string steps =
      replaced(replaced(csv, "start_us,end_us", "step,steps"), "#name", "#time_model,steps\n#name");
  EXPECT_EQ(ten_findings(replaced(replaced(steps, "0,1.5", "0,1"), "0,1.5", "2147483647,2147483647")), "");
  EXPECT_EQ(ten_findings(replaced(replaced(steps, "0,1.5", "0,1"), "0,1.5", "0,0")),
            "13: error: transfer 1 (chunk 1, 1->0) takes 0 steps; 'steps' must be at least 1 [R0]");
  EXPECT_EQ(ten_findings(replaced(replaced(replaced(steps, "0,1.5", "0,1"), "0,1.5", "3,2"), "#name",
                                  "#step_count,4\n#name")),
            "14: error: transfer 1 (chunk 1, 1->0) is outside of the 4 steps [R0]");
}

TEST(ReadTen, TellsTheSpellingByTheContent) {
  EXPECT_EQ(ten_findings("id,src\n"),
            "error: is not a schedule: expected '#ten-schedule,1', a JSON object with \"format\": "
            "\"ten-schedule\", TACOS's 'NPUs Count,…' or TE-CCL's JSON");
  const Format& ten = find_format("ten");
  EXPECT_TRUE(ten.sniff("#ten-schedule,1"));
  EXPECT_TRUE(ten.sniff("#name,x\n#npu_count,3"));
  EXPECT_TRUE(ten.sniff(" {\"name\": {\"format\": 1}, \"format\": \"ten-schedule\""));
  EXPECT_FALSE(ten.sniff("{\"format\": \"other\""));
  EXPECT_FALSE(ten.sniff("# a comment"));
  EXPECT_TRUE(ten.sniff("NPUs Count,4"));
  EXPECT_TRUE(ten.sniff("{\"1-Epoch_Duration\": 1"));
}

// Both spellings, written and read back.
TEST(WriteTen, LosesNothing) {
  for (const std::string name : {"okay-ring3.ten.json", "okay-star3.ten.csv", "okay-steps4.ten.csv",
                                 "okay-a2a3.ten.csv", "okay-tacos.csv", "okay-tacos-timed.csv"}) {
    Diagnostics diagnostics;
    const std::string first = written_ten(read_ten(ten_file(name), diagnostics));
    const std::string as_csv = written_ten(read_ten(first, diagnostics), "csv");
    EXPECT_EQ(written_ten(read_ten(first, diagnostics)), first) << name;
    EXPECT_EQ(written_ten(read_ten(as_csv, diagnostics)), first) << name;
    EXPECT_EQ(written_ten(read_ten(as_csv, diagnostics), "csv"), as_csv) << name;
    EXPECT_EQ(diagnostics.all().size(), 0U);
  }
}

TEST(WriteTen, MetaSurvivesCsv) {
  Diagnostics diagnostics;
  const std::string as_csv =
      written_ten(read_ten(replaced(json, "[1, {}]", "[1,\n {\"b\": \"x,y\"}]"), diagnostics), "csv");
  EXPECT_NE(as_csv.find("#meta,{\"a\": [1,  {\"b\": \"x,y\"}]}\n"), std::string::npos) << as_csv;
  EXPECT_EQ(read_ten(as_csv, diagnostics).meta, "{\"a\": [1,  {\"b\": \"x,y\"}]}");
}

TEST(WriteTen, IsCanonical) {
  Diagnostics diagnostics;
  const std::string text = written_ten(read_ten(json, diagnostics), "csv");
  EXPECT_EQ(
      text,
      "#ten-schedule,1\n#name,two\n#collective,all_gather\n#npu_count,2\n#link_count,2\n#chunk_count,2\n"
      "#chunk_size_bytes,1024\n#collective_time_us,1.5\n#meta,{\"a\": [1, {}]}\n#link,0,1,1,0.5\n#link,1,0,1,0.5\n"
      "#chunk,7,0,all\n#chunk,3,1,0;1\nid,src,dst,chunk,start_us,end_us,op\n"
      "0,0,1,7,0,1.5,copy\n1,1,0,3,0.000001,1.5,copy\n");
}

const std::string sets =
    "#ten-schedule,2\n#collective,custom\n#npu_count,2\n#chunk_size_bytes,10\n#link,0,1,1,0.5\n"
    "#chunk,0,0,all\n#chunk,1,0,all\n#chunk,2,0,all\n#chunk,5,0,all,7\n"
    "id,src,dst,chunk,start_us,end_us\n0,0,1,0-2;5,0,1.5\n1,0,1,1,2,3\n";

TEST(ReadTen, TransfersCarrySetsOfChunks) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(sets, diagnostics);
  ASSERT_EQ(s.transfers.size(), 2U);
  const Schedule::Transfer& t = s.transfers[0];
  ASSERT_EQ(chunk_count(t), 4U);
  EXPECT_EQ(chunk_at(s, t, 0), 0U);
  EXPECT_EQ(chunk_at(s, t, 3), 3U);
  EXPECT_EQ(bytes_of(s, t), 37);
  EXPECT_EQ(describe(s, t), "transfer 0 (chunks 0-2,5, 0->1)");
  EXPECT_EQ(chunk_count(s.transfers[1]), 1U);
}

// Every form has the same sets; only a schedule with sets has version 2.
TEST(ReadTen, SetsComeBackInEachForm) {
  Diagnostics diagnostics;
  const Schedule s = read_ten(sets, diagnostics);
  const std::string text = written_ten(s, "json");
  EXPECT_NE(text.find(R"("version":2)"), std::string::npos);
  EXPECT_NE(text.find(R"("chunks":[[0,2],5])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("chunk":1,)"), std::string::npos);
  EXPECT_EQ(written_ten(read_ten(text, diagnostics), "csv"), written_ten(s, "csv"));
  EXPECT_NE(written_ten(s, "csv").find("\n0,0,1,0-2;5,0,1.5,copy\n"), std::string::npos);
  EXPECT_EQ(written_ten(read_ten(csv, diagnostics), "csv").substr(0, 16), "#ten-schedule,1\n");
}

TEST(ReadTen, RefusesBrokenSets) {
  const std::string words =
      "11:7: error: chunk must be a number, or numbers and ranges like 0-3 separated by ';' [R0]";
  const std::vector<TenRefusal> cases = {
      {"#ten-schedule,2", "#ten-schedule,1",
       "11: error: transfer 0 carries several chunks, which requires version 2 [R0]"},
      {"0-2;5", "0-5", "11: error: transfer 0 moves chunk 3, which does not exist [R0]"},
      {"0-2;5", "0-9223372036854775806", "11: error: transfer 0 moves chunk 3, which does not exist [R0]"},
      {"0-2;5", "0-2;1", "11: error: transfer 0 carries chunk 1 twice [R0]"},
      {"0-2;5", "2-0", words},
      {"0-2;5", "0;", words},
      {"0-2;5", "-1", words},
      {"0-2;5", "0-9223372036854775807", words},
      {"all,7", "all,9223372036854775807", "11: error: transfer 0 carries more than 2^63 bytes [R0]"},
  };
  for (const TenRefusal& c : cases) EXPECT_EQ(ten_findings(replaced(sets, c.from, c.to)), c.error) << c.to;
  Diagnostics diagnostics;
  const std::string text = written_ten(read_ten(sets, diagnostics));
  const std::vector<TenRefusal> json_cases = {
      {"[[0,2],5]", "[]", "12:5: error: 'chunks' is empty"},
      {"[[0,2],5]", "[[0,1,2]]", "12:39: error: 'chunks' must be a list of ids, and of [first, last]"},
      {"[[0,2],5]", "[[2,0]]", "12:39: error: 'chunks' must be a list of ids, and of [first, last]"},
      {"\"chunks\":[[0,2],5]", "\"chunk\":0,\"chunks\":[1]",
       "12:5: error: a transfer must have 'chunk' or 'chunks', not both"},
  };
  for (const TenRefusal& c : json_cases) EXPECT_EQ(ten_findings(replaced(text, c.from, c.to)), c.error) << c.to;
}

}  // namespace
}  // namespace convert::test
