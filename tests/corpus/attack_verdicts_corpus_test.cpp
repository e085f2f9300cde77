// SPDX-License-Identifier: MIT
// Hostile sets: et-validate's verdict equals the replay's, and small files do not fill the memory.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "corpus.h"
#include "formats/run/run.h"
#include "sets/check.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "unit/scenario/layers.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

fs::path attack() { return corpus::root() / "wild" / "attack"; }

bool is_valid(const fs::path& file) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {file}, .hash = false}, diagnostics);
  EXPECT_TRUE(source.prepare(false));
  check(source, {}, diagnostics);
  return diagnostics.errors() == 0;
}

std::vector<Trace> traces_of(const fs::path& file) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {file}, .hash = false}, diagnostics);
  EXPECT_TRUE(source.prepare(false));
  return source.load(1);
}

TEST(AttackVerdictsCorpus, WhatIsValidIsReplayed) {
  REQUIRE_CORPUS();
  const std::map<std::string, bool> valid = {
      {"barrier-sizes", true}, {"root-by-one", false}, {"uneven-all-gather", true}};
  for (const fs::path& file : corpus::files_of(attack() / "valid-but-deadlock", ".jsonl")) {
    SCOPED_TRACE(file.string());
    EXPECT_EQ(is_valid(file), valid.at(file.stem()));
    const std::vector<Trace> traces = traces_of(file);
    for (const std::string model : {"links", "unaware", "aware"}) {
      for (const std::string algorithm : {"ring", "direct", "halving_doubling"}) {
        const LoadedReplay loaded =
            test::load(traces,
                       {{"network", "ring:" + std::to_string(traces.size()) + ",bw=50GB/s,lat=1us"},
                        {"model", model},
                        {"issue", "workload"},
                        {"algorithm", "all_gather=astra:" + algorithm}},
                       [](Scenario&) {});
        const ReplayResult result = replay(*loaded.program);
        EXPECT_EQ(result.status == ReplayStatus::complete, valid.at(file.stem())) << model << ' ' << algorithm;
      }
    }
  }
}

std::string failure_of(const fs::path& file) {
  try {
    if (file.extension() == ".run") {
      (void)read_run(*open_input(file));
    } else {
      Diagnostics diagnostics;
      TraceSource source({.operands = {file}, .hash = false}, diagnostics);
      (void)source.prepare(false);
    }
  } catch (const Error& e) {
    return e.rule();
  }
  return "";
}

TEST(AttackVerdictsCorpus, SmallFilesDoNotFillTheMemory) {
  REQUIRE_CORPUS();
  const fs::path bombs = attack() / "small-file-bombs";
  EXPECT_EQ(failure_of(bombs / "m.etm"), "");
  EXPECT_EQ(failure_of(bombs / "bomb.etm"), "memory");
  EXPECT_EQ(failure_of(bombs / "slices200.run"), "memory");
  EXPECT_EQ(failure_of(bombs / "slices5000.run"), "memory");
}

}  // namespace
