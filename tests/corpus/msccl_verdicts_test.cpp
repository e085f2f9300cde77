// SPDX-License-Identifier: MIT
// Every MSCCL-IR file of the corpus gets the verdict of the reference checker, for the same reasons.
#include <gtest/gtest.h>

#include <set>

#include "corpus/corpus.h"
#include "formats/msccl/msccl.h"
#include "io/input.h"
#include "passes/verify/verify.h"

namespace {

// Code of the reference, and the rule here.
const std::map<std::string, std::string> rule_of = {
    {"E_XML", "xml"},
    {"E_DTD", "xml"},
    {"E_ROOT", "xml"},
    {"E_ATTR_MISSING", "attributes"},
    {"E_ATTR_NUM", "attributes"},
    {"E_RANGE", "attributes"},
    {"E_PROTO", "attributes"},
    {"E_COLL", "attributes"},
    {"E_BYTES", "attributes"},
    {"E_HASDEP_VALUE", "attributes"},
    {"E_STEP_TYPE", "attributes"},
    {"E_BUF", "attributes"},
    {"E_NGPUS", "gpus"},
    {"E_GPU_DUP", "gpus"},
    {"E_GPU_RANGE", "gpus"},
    {"E_TB_DUP", "threadblocks"},
    {"E_TB_GAP", "threadblocks"},
    {"E_PEER_SELF", "peers"},
    {"E_PEER_RANGE", "peers"},
    {"E_NO_SEND_PEER", "peers"},
    {"E_NO_RECV_PEER", "peers"},
    {"E_CHAN", "channels"},
    {"E_LIMIT_CHANNELS", "channels"},
    {"E_CONN_SHARED", "connections"},
    {"E_STEP_ORDER", "steps"},
    {"E_CNT", "steps"},
    {"E_OFFSET", "offsets"},
    {"E_NCHUNKS", "offsets"},
    {"E_DEP_DANGLING", "deps"},
    {"E_DEP_SELF", "deps"},
    {"E_NOP_NODEP", "deps"},
    {"E_NOP_CHAIN", "deps"},
    {"E_UNMATCHED", "pairs"},
    {"E_CNT_MISMATCH", "pairs"},
    {"E_DEADLOCK", "deadlock"},
    {"E_FIFO_CAPACITY", "fifo"},
    {"E_RACE", "races"},
    {"E_POST", "postcondition"},
    {"E_UNINIT", "uninitialized"},
    {"E_DOUBLE_REDUCE", "doubled"},
    {"E_RUNTIME_OPERAND", "operand"},
};

struct Verdict {
  bool ok = false;
  std::set<std::string> rules;
  std::string text;
};

Verdict judge(const std::filesystem::path& path) {
  convert::Diagnostics diagnostics;
  Verdict v;
  try {
    auto input = convert::open_input(path.string());
    const convert::Algorithm a = convert::read_msccl(input->read_rest(), path.filename().string(), diagnostics);
    convert::check_structure(a, diagnostics);
    convert::verify(convert::make_step_graph(a),
                    {.dataflow = true, .collective = {}, .soft = convert::Severity::error}, diagnostics);
  } catch (const convert::Error& e) {
    diagnostics.error(e.where(), e.rule(), e.what());
  }
  v.ok = diagnostics.errors() == 0;
  for (const auto& d : diagnostics.all()) {
    if (d.severity == convert::Severity::error) v.rules.insert(d.rule);
    if (v.text.size() < 2000) v.text += convert::format_diagnostic(d) + "\n";
  }
  return v;
}

void expect_codes(const Verdict& v, const std::string& codes, const std::string& file) {
  for (const std::string& code : corpus::split(codes, ',')) {
    if (code.empty()) continue;
    const auto rule = rule_of.find(code);
    ASSERT_NE(rule, rule_of.end()) << code;
    EXPECT_TRUE(v.rules.contains(rule->second))
        << file << ": " << code << " (" << rule->second << ") not found in\n"
        << v.text;
  }
}

TEST(MscclVerdicts, EveryFileOfTheCorpus) {
  REQUIRE_CORPUS();
  const auto folder = corpus::root() / "msccl";
  const auto rows = corpus::read_table(folder / "verdicts.tsv");
  EXPECT_GE(rows.size(), 257U);
  for (auto row : rows) {
    const Verdict v = judge(folder / row["file"]);
    EXPECT_EQ(v.ok ? "OK" : "FAIL", row["verdict"]) << row["file"] << "\n" << v.text;
    if (row["verdict"] == "FAIL") expect_codes(v, row["errors"], row["file"]);
  }
}

TEST(MscclVerdicts, EveryBrokenFile) {
  REQUIRE_CORPUS();
  const auto folder = corpus::root() / "msccl" / "broken";
  const auto rows = corpus::read_table(folder / "expected.tsv");
  EXPECT_GE(rows.size(), 50U);
  for (auto row : rows) {
    const Verdict v = judge(folder / row["file"]);
    if (row["expected_verdict"] == "ANY") continue;
    EXPECT_EQ(v.ok ? "OK" : "FAIL", row["expected_verdict"]) << row["file"] << "\n" << v.text;
    expect_codes(v, row["expected_error_codes"], row["file"]);
  }
}

}  // namespace
