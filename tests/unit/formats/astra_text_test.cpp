// SPDX-License-Identifier: MIT
#include "formats/astra_text/astra_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bad_files.h"
#include "common/error_text.h"
#include "common/findings.h"
#include "common/testdata.h"

namespace convert {
namespace {

struct AstraRead {
  std::vector<Trace> ranks;
  std::string warnings;
};

AstraRead read_astra(const std::string& text, const AstraOptions& options, std::size_t batch = 1000) {
  Diagnostics diagnostics;
  const auto set = make_astra_set(read_astra_text(text, "w.txt", options.compat, diagnostics), options);
  AstraRead out;
  const auto reader = set->open(0, set->ranks());
  Trace trace;
  while (reader->next_rank(trace)) {
    Trace whole = trace;
    while (reader->next_nodes(trace, batch)) {
      EXPECT_LE(trace.nodes.nodes.size(), batch);
      whole.nodes.append(trace.nodes);
    }
    out.ranks.push_back(std::move(whole));
  }
  out.warnings = test::findings_text(diagnostics);
  return out;
}

// One line per node: "ID NAME US <DEPENDENCIES" for computations, "ID NAME TYPE:BYTES <DEPENDENCIES" for
// collectives, with the number of their type. The common part of names is omitted.
std::string listing(const Trace& t) {
  std::string out;
  for (const Node& n : t.nodes.nodes) {
    const std::string name(t.nodes.name(n));
    const bool comp = n.type == NodeType::comp;
    out += std::to_string(n.id) + " " + name.substr(comp ? 10 : 15) + " ";
    const auto attrs = t.nodes.attributes(n);
    out += comp ? std::to_string(n.duration_us)
                : std::to_string(int_value(attrs, attr::comm_type).value) + ":" +
                      std::to_string(int_value(attrs, attr::comm_size).value);
    for (std::size_t i = 0; i < t.nodes.data_deps(n).size(); ++i)
      out += (i == 0 ? " <" : ",") + std::to_string(t.nodes.data_deps(n)[i]);
    out += "\n";
  }
  return out;
}

std::string astra_graph(const std::string& text, std::uint64_t passes = 1, bool compat = false) {
  return listing(read_astra(text, {.npus = 1, .passes = passes, .compat = compat}).ranks.at(0));
}

std::string astra_text_error(const std::string& text, bool compat = false) {
  return test::error_text([&] { (void)read_astra(text, {.compat = compat}); });
}

const std::string two_layers =
    "\n2\n"
    "a -1 1 ALLGATHER 10 2 ALLTOALL 20 3 REDUCESCATTER 30 0\n"
    "b -1 4 ALLREDUCE 40 5 ALLREDUCE 50 6 ALLREDUCE 60 0\n";
// Collectives only in the middle layer.
const std::string three_layers =
    "\n3\n"
    "a -1 1 NONE 0 2 NONE 0 3 NONE 0 0\n"
    "b -1 4 ALLREDUCE 40 5 ALLREDUCE 50 6 ALLREDUCE 60 0\n"
    "c -1 7 ALLREDUCE 0 8 ALLREDUCE 0 9 ALLREDUCE 0 0\n";
const std::string dlrm =
    " 2\n4\n"
    "e -1 1 ALLTOALL 10 2 ALLTOALL 20 3 NONE 0 0\n"
    "m -1 4 NONE 0 5 NONE 0 6 ALLREDUCE 60 0\n"
    "n -1 7 NONE 0 8 NONE 0 9 ALLREDUCE 90 0\n"
    "t -1 10 NONE 0 11 NONE 0 12 ALLREDUCE 120 0\n";

TEST(AstraText, Micro) {
  EXPECT_EQ(astra_graph("MICRO" + two_layers, 2),
            "0 a_REDUCESCATTER 7:30\n1 b_ALLREDUCE 0:60\n2 a_REDUCESCATTER 7:30\n3 b_ALLREDUCE 0:60\n");
}

TEST(AstraText, Data) {
  const std::string first =
      "0 a_FWD 1\n"
      "1 b_FWD 4 <0\n"
      "2 b_BWD_WG 6 <1\n"
      "3 b_ALLREDUCE 0:60 <2\n"
      "4 b_BWD_IG 5 <2\n"
      "5 a_BWD_WG 3 <4\n"
      "6 a_REDUCESCATTER 7:30 <5\n";
  EXPECT_EQ(astra_graph("DATA" + two_layers), first);
  EXPECT_EQ(astra_graph("DATA" + two_layers, 2), first +
                                                     "7 a_FWD 1 <6\n"
                                                     "8 b_FWD 4 <7,3\n"
                                                     "9 b_BWD_WG 6 <8\n"
                                                     "10 b_ALLREDUCE 0:60 <9\n"
                                                     "11 b_BWD_IG 5 <9\n"
                                                     "12 a_BWD_WG 3 <11\n"
                                                     "13 a_REDUCESCATTER 7:30 <12\n");
}

TEST(AstraText, Model) {
  EXPECT_EQ(astra_graph("MODEL" + two_layers, 2),
            "0 a_FWD 1\n"
            "1 a_ALLGATHER 2:10 <0\n"
            "2 b_FWD 4 <1\n"
            "3 b_ALLREDUCE 0:40 <2\n"
            "4 b_BWD_IG 5 <3\n"
            "5 b_ALLREDUCE 0:50 <4\n"
            "6 b_BWD_WG 6 <4\n"
            "7 a_BWD_IG 2 <6,5\n"
            "8 a_BWD_WG 3 <7\n"
            "9 a_FWD 1 <8\n"
            "10 a_ALLGATHER 2:10 <9\n"
            "11 b_FWD 4 <10,6\n"
            "12 b_ALLREDUCE 0:40 <11\n"
            "13 b_BWD_IG 5 <12\n"
            "14 b_ALLREDUCE 0:50 <13\n"
            "15 b_BWD_WG 6 <13\n"
            "16 a_BWD_IG 2 <15,14\n"
            "17 a_BWD_WG 3 <16\n");
}

TEST(AstraText, Hybrids) {
  const std::string expected =
      "0 a_FWD 1\n"
      "1 a_ALLGATHER 2:10 <0\n"
      "2 b_FWD 4 <1\n"
      "3 b_ALLREDUCE 0:40 <2\n"
      "4 b_BWD_IG 5 <3\n"
      "5 b_ALLREDUCE 0:50 <4\n"
      "6 b_BWD_WG 6 <4\n"
      "7 b_ALLREDUCE 0:60 <6\n"
      "8 a_BWD_IG 2 <6,5\n"
      "9 a_BWD_WG 3 <8\n"
      "10 a_REDUCESCATTER 7:30 <9\n"
      "11 a_FWD 1 <10\n"
      "12 a_ALLGATHER 2:10 <11\n"
      "13 b_FWD 4 <7,12\n";
  const std::string model_data = astra_graph("HYBRID_MODEL_DATA" + two_layers, 2);
  EXPECT_EQ(model_data.substr(0, expected.size()), expected);
  std::string renamed = model_data;
  for (std::size_t at = 0; (at = renamed.find("b_ALLREDUCE 0:50", at)) != std::string::npos; at += 10)
    renamed.replace(at, 2, "b_IG_COMM__");
  EXPECT_EQ(astra_graph("HYBRID_DATA_MODEL" + two_layers, 2), renamed);
}

TEST(AstraText, Dlrm) {
  const std::string expected =
      "0 e_FWD 1\n"
      "1 e_ALLTOALL 6:10 <0\n"
      "2 m_FWD 4 <0\n"
      "3 n_FWD 7 <2,1\n"
      "4 t_FWD 10 <3\n"
      "5 t_BWD_WG 12 <4\n"
      "6 t_ALLREDUCE 0:120 <5\n"
      "7 t_BWD_IG 11 <5\n"
      "8 e_ALLTOALL 6:20 <7\n"
      "9 n_BWD_WG 9 <7\n"
      "10 n_ALLREDUCE 0:90 <9\n"
      "11 n_BWD_IG 8 <9\n"
      "12 m_BWD_WG 6 <11\n"
      "13 m_ALLREDUCE 0:60 <12\n"
      "14 m_BWD_IG 5 <12\n"
      "15 e_BWD_WG 3 <14,8\n"
      "16 e_FWD 1 <15\n"  // the next pass
      "17 e_ALLTOALL 6:10 <16\n"
      "18 m_FWD 4 <13,16\n"
      "19 n_FWD 7 <10,18,17\n";
  EXPECT_EQ(astra_graph("HYBRID_DLRM" + dlrm, 2).substr(0, expected.size()), expected);
  EXPECT_EQ(astra_graph("HYBRID_DLRM_ENHANCED DLRM_LAST_BOTTOM_LAYER:" + dlrm), astra_graph("HYBRID_DLRM" + dlrm));
}

// NONE and size 0: nodes that would wait for the collective wait for its dependencies.
TEST(AstraText, WithoutCollectives) {
  EXPECT_EQ(astra_graph("MICRO" + three_layers), "0 b_ALLREDUCE 0:60\n");
  EXPECT_EQ(astra_graph("MODEL" + three_layers).substr(0, 52),
            "0 a_FWD 1\n1 b_FWD 4 <0\n2 b_ALLREDUCE 0:40 <1\n3 c_FWD");
  const std::string two = astra_graph("HYBRID_MODEL_DATA" + three_layers, 2);
  EXPECT_EQ(two,
            "0 a_FWD 1\n"
            "1 b_FWD 4 <0\n"
            "2 b_ALLREDUCE 0:40 <1\n"
            "3 c_FWD 7 <2\n"
            "4 c_BWD_IG 8 <3\n"
            "5 c_BWD_WG 9 <4\n"
            "6 b_BWD_IG 5 <5\n"
            "7 b_ALLREDUCE 0:50 <6\n"
            "8 b_BWD_WG 6 <6\n"
            "9 b_ALLREDUCE 0:60 <8\n"
            "10 a_BWD_IG 2 <8,7\n"
            "11 a_BWD_WG 3 <10\n"
            "12 a_FWD 1 <11\n"
            "13 b_FWD 4 <9,12\n"
            "14 b_ALLREDUCE 0:40 <13\n"
            "15 c_FWD 7 <5,14\n"
            "16 c_BWD_IG 8 <15\n"
            "17 c_BWD_WG 9 <16\n"
            "18 b_BWD_IG 5 <17\n"
            "19 b_ALLREDUCE 0:50 <18\n"
            "20 b_BWD_WG 6 <18\n"
            "21 b_ALLREDUCE 0:60 <20\n"
            "22 a_BWD_IG 2 <20,19\n"
            "23 a_BWD_WG 3 <22\n");
  EXPECT_EQ(astra_graph("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1", 4'000'000'000), "");
}

TEST(AstraText, RanksAreAlikeAndStartAtZero) {
  const AstraRead three = read_astra("DATA" + two_layers, {.npus = 3, .passes = 2});
  ASSERT_EQ(three.ranks.size(), 3U);
  for (std::size_t r = 0; r < 3; ++r) {
    const Trace& t = three.ranks[r];
    EXPECT_EQ(t.rank, r);
    EXPECT_EQ(listing(t), listing(three.ranks[0]));
    EXPECT_EQ(t.metadata.version, schema_version);
    EXPECT_EQ(find(t.metadata.table.attrs, attr::input_file), nullptr);
    for (const Node& n : t.nodes.nodes) {
      const Attr* cpu = find(t.nodes.attributes(n), attr::is_cpu_op);
      ASSERT_NE(cpu, nullptr);
      EXPECT_EQ(cpu->kind, Kind::bool_val);
      EXPECT_EQ(cpu->bits, 0U);
    }
  }
  EXPECT_EQ(format_location(location_of(three.ranks[1], 1)), "w.txt:4");
  EXPECT_EQ(format_location(location_of(three.ranks[1], 5)), "w.txt:3");
}

TEST(AstraText, CompatIsTheReference) {
  const std::string crlf = "DATA\r\n1\r\na x 1 NONE 0 2 NONE 0 3 NONE 7 y\r\n";
  const AstraRead two = read_astra(crlf, {.npus = 2, .passes = 1, .compat = true});
  EXPECT_EQ(listing(two.ranks[0]), "0 a_FWD 1\n1 a_BWD_WG 3 <0\n2 a_NONE 0:7 <1\n");
  EXPECT_EQ(listing(two.ranks[1]), "3 a_FWD 1\n4 a_BWD_WG 3 <3\n5 a_NONE 0:7 <4\n");
  const Metadata& metadata = two.ranks[1].metadata;
  EXPECT_EQ(metadata.version, "");
  EXPECT_EQ(string_value(metadata.table, metadata.table.attrs, attr::input_file),
            "DATA\n1\na x 1 NONE 0 2 NONE 0 3 NONE 7 y\n");
  EXPECT_EQ(two.ranks[0].nodes.attrs.size(), 2U);  // no is_cpu_op

  const AstraRead unknown = read_astra("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 PIPELINE 5 1", {.compat = true});
  EXPECT_EQ(listing(unknown.ranks[0]), "0 a_PIPELINE 0:5\n");
  EXPECT_EQ(unknown.warnings,
            "w.txt:3:26: warning: weight gradient collective: unknown type 'PIPELINE'; it becomes an all-reduce, "
            "as in the reference converter [attributes]\n");
  EXPECT_EQ(astra_graph("HYBRID_DLRM" + dlrm, 3, true), astra_graph("HYBRID_DLRM" + dlrm, 3));
  EXPECT_EQ(astra_text_error(
                "HYBRID_DLRM 1\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1", true),
            "w.txt:3: the reference converter rejects HYBRID_DLRM without an ALLTOALL in the forward pass of the "
            "first layer");
}

TEST(AstraText, BatchesOfAnySize) {
  const std::string whole = astra_graph("HYBRID_DLRM" + dlrm, 3);
  for (std::size_t batch = 1; batch < 20; ++batch) {
    const AstraRead r = read_astra("HYBRID_DLRM" + dlrm, {.npus = 2, .passes = 3}, batch);
    EXPECT_EQ(listing(r.ranks[0]), whole);
    EXPECT_EQ(listing(r.ranks[1]), whole);
  }
}

TEST(AstraText, RanksInAnyOrder) {
  Diagnostics diagnostics;
  const AstraOptions options{.npus = 4, .passes = 2, .compat = true};
  const auto set = make_astra_set(read_astra_text("DATA" + two_layers, "w", true, diagnostics), options);
  const auto reader = set->open(3, 4);
  Trace t;
  ASSERT_TRUE(reader->next_rank(t));
  ASSERT_TRUE(reader->next_nodes(t, 1));
  EXPECT_EQ(t.nodes.nodes[0].id, 3U * 14);
  EXPECT_FALSE(reader->next_rank(t));
}

TEST(AstraText, WhatIsLeftOutIsSaid) {
  EXPECT_EQ(read_astra("DATA" + two_layers, {}).warnings,
            "w.txt:3:8: warning: forward collective is not part of this kind of workload: 2 collectives omitted "
            "[attributes]\nw.txt:3:23: warning: input gradient collective is not part of this kind of workload: 2 "
            "collectives omitted [attributes]\n");
  EXPECT_EQ(read_astra("MODEL" + two_layers, {}).warnings,
            "w.txt:3:37: warning: weight gradient collective is not part of this kind of workload: 2 collectives "
            "omitted [attributes]\n");
  EXPECT_EQ(read_astra("HYBRID_MODEL_DATA" + two_layers, {}).warnings, "");
  EXPECT_EQ(read_astra("HYBRID_DLRM" + dlrm, {}).warnings, "");
  EXPECT_EQ(read_astra("HYBRID_DLRM 3" + dlrm.substr(2), {}).warnings,
            "w.txt:3: warning: the first layer's input gradient collective is omitted: there is no layer after the "
            "last bottom layer [attributes]\n");
  EXPECT_EQ(
      read_astra("DATA groups: 4\n1\na -1 1 NONE 0 1 NONE 5 1 NONE 0 1 more columns", {}).warnings,
      "w.txt:3:22: warning: input gradient collective size is ignored: the type of the collective is NONE "
      "[attributes]\nw.txt:1:6: warning: the word is ignored for this kind of workload [attributes]\nw.txt:3:35: "
      "warning: columns after the 12 columns of a layer are ignored [attributes]\n");
}

TEST(AstraText, LinesEndAnyWay) {
  const std::string expected = astra_graph("DATA" + two_layers);
  for (const char* end : {"\r\n", "\r", " \t\n"}) {
    std::string text;
    for (const char c :
         "\xef\xbb\xbf"
         "DATA" +
             two_layers + "\n \n\n")
      text += c == '\n' ? end : std::string(1, c);
    EXPECT_EQ(astra_graph(text), expected);
  }
}

TEST(AstraText, ErrorsHavePlaces) {
  for (const auto& [text, error] : std::initializer_list<std::pair<const char*, const char*>>{
           {"",
            "w.txt:1: the first line must name the kind of workload: MICRO, DATA, MODEL, HYBRID_DATA_MODEL, "
            "HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED"},
           {"\nDATA\n1\n",
            "w.txt:1: the first line must name the kind of workload: MICRO, DATA, MODEL, "
            "HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED"},
           {"DATA", "w.txt:2: the second line must be the number of layers"},
           {"DATA\n\n1\n", "w.txt:2: the second line must be the number of layers"},
           {"DATA\n1 2\n", "w.txt:2:3: the second line must contain only the number of layers"},
           {"DATA\n-1\n",
            "w.txt:2:1: the number of layers: '-1' is not a whole number from 0 to 9223372036854775807"},
           {"DATA\n9223372036854775807\n",
            "w.txt:2: ends after 0 layers of the 9223372036854775807 declared in line 2"},
           {"DATA\n1\na\n", "w.txt:3:2: a layer has 12 columns; the reserved column is missing"},
           {"DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 soon\n",
            "w.txt:3:33: update time: 'soon' is not a whole number from 0 to 9223372036854775807"},
           {"HYBRID_DLRM x\n",
            "w.txt:1:13: the last bottom layer: 'x' is not a whole number from 0 to "
            "9223372036854775807"},
           {"HYBRID_DLRM 1\n1\na -1 1 ALLTOALL 1 1 NONE 0 1 NONE 0 1\n",
            "w.txt:3: a HYBRID_DLRM has at least two layers"}}) {
    EXPECT_EQ(astra_text_error(text), error);
  }
}

TEST(AstraText, NodesThatHaveNoIds) {
  Diagnostics diagnostics;
  const auto make = [&](Rank npus, std::uint64_t passes) {
    (void)make_astra_set(read_astra_text("DATA" + two_layers, "w", false, diagnostics),
                         {.npus = npus, .passes = passes});
  };
  EXPECT_NO_THROW(make(1U << 31U, 1U << 30U));
  EXPECT_THROW(make(1U << 31U, 1U << 31U), Error);
}

TEST(AstraText, BadFiles) {
  const std::map<std::string, std::string> errors = {
      {"bad-blank-between.txt", "4: an empty line between layers"},
      {"bad-count.txt", "2:1: the number of layers: 'three' is not a whole number from 0 to 9223372036854775807"},
      {"bad-dlrm-bottom.txt", "1:12: HYBRID_DLRM must be followed by the number of the last bottom layer"},
      {"bad-dlrm-range.txt", "1:13: the last bottom layer must be a number from 1 to 1 (the first layer is 0)"},
      {"bad-encoding.txt", "3:5: is not UTF-8 text"},
      {"bad-huge-time.txt",
       "3:9: forward compute time: '9223372036854775808' is not a whole number from 0 to 9223372036854775807"},
      {"bad-kind.txt",
       "1:1: workload kind 'DATAS' is not supported (supported: MICRO, DATA, MODEL, HYBRID_DATA_MODEL, "
       "HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED); did you mean DATA?"},
      {"bad-negative-size.txt",
       "3:39: weight gradient collective size: '-8' is not a whole number from 0 to 9223372036854775807"},
      {"bad-no-layers.txt", "2:1: a workload must have at least one layer"},
      {"bad-shifted.txt", "3:6: the reserved column: 'block' is not a number"},
      {"bad-short-row.txt", "3:40: a layer has 12 columns; update time is missing"},
      {"bad-time.txt", "3:9: forward compute time: '1.5' is not a whole number from 0 to 9223372036854775807"},
      {"bad-too-few.txt", "4: ends after 2 layers of the 3 declared in line 2"},
      {"bad-too-many.txt", "4:1: more layers than the 1 declared in line 2"},
      {"bad-transformer.txt",
       "1:1: workload kind 'HYBRID_TRANSFORMER' is not supported (supported: MICRO, DATA, MODEL, "
       "HYBRID_DATA_MODEL, "
       "HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_DLRM_ENHANCED)"},
      {"bad-type.txt",
       "3:29: weight gradient collective: unknown type 'ALLREDUSE' (known: NONE, ALLREDUCE, ALLTOALL, ALLGATHER, "
       "REDUCESCATTER); did you mean ALLREDUCE?"}};
  const auto folder = test::testdata("astra-text");
  test::expect_errors(folder, errors, [](Input& input, Diagnostics& diagnostics) {
    return read_astra_text(input.read_rest(), input.name(), false, diagnostics);
  });
}

TEST(AstraText, IsRecognised) {
  for (const char* text : {"DATA\n54\n", "MICRO\r\n1\r\n", "HYBRID_DLRM\t4\t\t\r\n8\t\t\r\n",
                           "MODEL   \n6  \nlayer", "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n57\n",
                           "\xef\xbb\xbf"
                           "DATA\r1\r"}) {
    EXPECT_TRUE(sniff_astra_text(text)) << text;
  }
  for (const char* text : {"", "DATA", "DATA\n", "DATA\nx\n", "DATAS\n1\n", "\n1\n", "{\"DATA\"\n1", "data\n1\n"}) {
    EXPECT_FALSE(sniff_astra_text(text)) << text;
  }
}

}  // namespace
}  // namespace convert
