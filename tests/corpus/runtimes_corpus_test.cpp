// SPDX-License-Identifier: MIT
// MSCCL-IR files as the runtimes read them: errors of their parsers, and steps that they split into messages.
#include <gtest/gtest.h>

#include <algorithm>

#include "corpus/corpus.h"
#include "formats/msccl/msccl.h"
#include "io/input.h"
#include "passes/verify/verify.h"

namespace {

using namespace convert;

const std::filesystem::path folder = std::filesystem::path("wild") / "collectives";

// Returns the errors of a file, as reported by et-validate --dataflow --target.
std::string errors_of(const std::filesystem::path& path, const RuntimeLimits& target) {
  Diagnostics diagnostics;
  try {
    std::string text(open_input(path.string())->read_rest());
    const std::string file = path.filename().string();
    if (auto found = find_runtime_syntax(text, file)) diagnostics.add(std::move(*found));
    const Algorithm a = read_msccl(std::move(text), file, diagnostics);
    check_structure(a, diagnostics, &target);
    verify(make_step_graph(a), {.dataflow = true, .target = &target}, diagnostics);
  } catch (const Error& e) {
    diagnostics.error(e.where(), e.rule(), e.what());
  }
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) out += format_diagnostic(d) + "\n";
  }
  return out;
}

TEST(Runtimes, WhatRcclsParserAccepts) {
  REQUIRE_CORPUS();
  const std::vector<std::string> accepted = {"base.xml", "fuse.xml", "hasdep1.xml", "nchan4.xml", "noslash.xml"};
  const auto files = corpus::files_of(corpus::root() / folder / "rccl-accept", ".xml");
  EXPECT_GE(files.size(), 29U);
  for (const auto& file : files) {
    const std::string errors = errors_of(file, rccl_limits);
    const bool expected = std::ranges::find(accepted, file.filename().string()) != accepted.end();
    EXPECT_EQ(errors.empty(), expected) << file << "\n" << errors;
  }
}

TEST(Runtimes, WhatTheyShipIsAccepted) {
  REQUIRE_CORPUS();
  const auto files = corpus::files_of(corpus::root() / folder / "files" / "rccl_msccl", ".xml");
  EXPECT_GE(files.size(), 5U);
  for (const auto& file : files) EXPECT_EQ(errors_of(file, rccl_limits), "") << file;
}

// Returns the size of the largest call without a hang that rule fifo names; empty if it names none.
std::string named(const std::string& file) {
  const std::string errors = errors_of(corpus::root() / folder / "fifo-cnt" / file, msccl_limits);
  const std::string head = "in calls of more than ";
  const std::size_t at = errors.find(head);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + head.size();
  return errors.substr(begin, errors.find(' ', begin) - begin);
}

TEST(Runtimes, StepsOfSeveralChunksHangInLargeCalls) {
  REQUIRE_CORPUS();
  EXPECT_EQ(named("exchange3.xml"), "6291456");
  EXPECT_EQ(named("allreduce_rec_doub_halv_Simple_gpu64_ins1.xml"), "8388608");
  EXPECT_EQ(named("all_reduce-halving_doubling-8.xml"), "8388608");
  EXPECT_EQ(named("nodes4.xml"), "33554432");
  EXPECT_NE(errors_of(corpus::root() / folder / "fifo-cnt" / "exchange3-split.xml", msccl_limits).find("[fifo]"),
            std::string::npos);
}

}  // namespace
