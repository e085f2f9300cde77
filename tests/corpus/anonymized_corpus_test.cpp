// SPDX-License-Identifier: MIT
// Anonymises every trace set of the corpus, algorithms and recordings. All NPUs finish, compute and communicate
// as before, both as recorded and on a network. Valid input stays valid. No text of the recordings remains.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "corpus.h"
#include "io/secrets/keyed_sha256.h"
#include "scenario/scenario.h"
#include "sets/anonymized/anonymizing.h"
#include "sets/check.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "unit/sets/split_sets.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

using Figures = std::tuple<std::optional<Picoseconds>, Picoseconds, Picoseconds, Picoseconds>;

// Metrics of all NPUs; nothing if the set cannot be replayed.
std::optional<std::map<Rank, Figures>> figures_of(SetSource& set, bool recorded) {
  RunSettings settings;
  settings.workload = "set";
  settings.network = set.independent_ranks() < 2
                         ? "ideal"
                         : "switch:" + std::to_string(set.independent_ranks()) + ",bw=50GB/s,lat=500ns";
  settings.options.size_bytes = 1 << 20;
  settings.compute_recorded = settings.comm_recorded = recorded;
  Diagnostics findings;
  try {
    Scenario scenario = make_scenario(settings);
    add_groups(scenario, set.groups());
    LoadedReplay loaded = load_replay(set, scenario, 1, findings);
    if (!loaded || findings.errors() != 0) return std::nullopt;
    const ReplayResult result = loaded.recorded ? std::move(*loaded.recorded) : replay(*loaded.program);
    std::map<Rank, Figures> out;
    for (std::size_t i = 0; i < result.npus.size(); ++i) {
      const NpuResult& n = result.npus[i];
      out[result.rank(i)] = {n.finish_ps, n.compute_ps, n.times.communication, n.exposed_communication_ps};
    }
    return out;
  } catch (const Error& e) {
    return std::nullopt;
  }
}

std::size_t count_findings(SetSource& set) {
  Diagnostics findings;
  (void)check(set, {.collective = {}}, findings);
  return findings.errors() + findings.warnings();
}

KeyedHash corpus_key() {
  return [hash = std::make_shared<KeyedSha256>("corpus")](std::string_view text) { return (*hash)(text); };
}

// Host and device traces of a recording, to be linked.
SourceOptions recording_of(const std::string& name, Rank ranks) {
  SourceOptions options{.operands = {}, .hash = true};
  const fs::path set = corpus::root() / "pytorch" / "inputs" / name;
  for (Rank r = 0; r < ranks; ++r) {
    options.operands.push_back(set / ("host_" + std::to_string(r) + ".json.gz"));
    options.linked.push_back({.rank = r, .device = set / ("kineto_" + std::to_string(r) + ".json.gz")});
  }
  return options;
}

// Counts comparisons.
struct Compared {
  std::size_t sets = 0, recorded = 0, simulated = 0, valid = 0;
};

void expect_same(const SourceOptions& options, Compared& counts) {
  SCOPED_TRACE(options.operands.front());
  Diagnostics diagnostics;
  TraceSource source(options, diagnostics);
  if (!source.prepare(false)) return;
  KeptSet before(source, 1);
  AnonymizedSet after(before, {}, corpus_key(), 1);
  ++counts.sets;
  for (const bool recorded : {true, false}) {
    const auto expected = figures_of(before, recorded), found = figures_of(after, recorded);
    EXPECT_EQ(expected, found) << (recorded ? "as recorded" : "on a network");
    if (expected) ++(recorded ? counts.recorded : counts.simulated);
  }
  if (count_findings(before) != 0) return;
  EXPECT_EQ(count_findings(after), 0U);
  ++counts.valid;
}

TEST(AnonymizedCorpus, TraceSets) {
  REQUIRE_CORPUS();
  Compared counts;
  for (const fs::path& file : corpus::files_of(corpus::root(), ".0.et")) {
    const std::string prefix = file.string().substr(0, file.string().size() - 5);
    expect_same({.operands = {prefix}, .hash = false}, counts);
  }
  EXPECT_GT(counts.sets, 300U);
  EXPECT_GT(counts.recorded, 300U);
  EXPECT_GT(counts.simulated, 200U);
  EXPECT_GT(counts.valid, 200U);
}

TEST(AnonymizedCorpus, Algorithms) {
  REQUIRE_CORPUS();
  constexpr std::uintmax_t largest = 300'000;
  Compared counts;
  for (const char* folder : {"real", "generated"}) {
    if (!fs::exists(corpus::root() / "msccl" / folder)) continue;
    for (const fs::path& file : corpus::files_of(corpus::root() / "msccl" / folder, ".xml")) {
      if (fs::file_size(file) < largest) expect_same({.operands = {file}, .hash = true}, counts);
    }
  }
  EXPECT_GT(counts.simulated, 50U);
}

// A recording of four ranks, and traces from Chakra's converter.
TEST(AnonymizedCorpus, Recordings) {
  REQUIRE_CORPUS();
  Compared counts;
  const fs::path folder = corpus::root() / "pytorch";
  for (const fs::path& file : corpus::files_of(folder / "expected", "out.et.gz"))
    expect_same({.operands = {file}, .hash = false}, counts);
  EXPECT_GT(counts.recorded, 3U);
  const SourceOptions options = recording_of("syn_4rank", 4);
  expect_same(options, counts);
  expect_same(recording_of("derived_nccl2rank", 1), counts);
  Diagnostics diagnostics;
  TraceSource source(options, diagnostics);
  KeptSet before(source, 1);
  AnonymizedSet after(before, {}, corpus_key(), 1);
  for (const auto& [rank, bytes] : test::set_bytes(after).ranks) {
    EXPECT_GT(bytes.size(), 100'000U);
    for (const char* word : {"aten::", "nccl", "syn_4rank", "host_", "kineto", "Tensor", "autograd"})
      EXPECT_EQ(bytes.find(word), std::string::npos) << word;
  }
}

// The longest path through a rank changes by at most the bound.
TEST(AnonymizedCorpus, JitterStaysWithinItsBound) {
  REQUIRE_CORPUS();
  std::size_t compared = 0;
  for (const SourceOptions& options : {recording_of("syn_4rank", 4), recording_of("derived_nccl2rank", 1)}) {
    Diagnostics diagnostics;
    TraceSource source(options, diagnostics);
    KeptSet before(source, 1);
    AnonymizedSet after(before, {.jitter = 0.05}, corpus_key(), 1);
    const auto expected = figures_of(before, true), found = figures_of(after, true);
    ASSERT_TRUE(expected && found);
    for (const auto& [rank, figures] : *expected) {
      const auto was = static_cast<double>(std::get<0>(figures).value_or(0));
      const auto now = static_cast<double>(std::get<0>(found->at(rank)).value_or(0));
      EXPECT_NE(now, was);
      EXPECT_LE(now, was * 1.05);
      EXPECT_GE(now, was * 0.95);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 5U);
}

}  // namespace
