// SPDX-License-Identifier: MIT
// Every trace set of the corpus as a class-compressed set and back: the same bytes. Repetitive sets are small.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "config/groups.h"
#include "core/master/builder.h"
#include "corpus.h"
#include "formats/master/master.h"
#include "sets/classes/set.h"
#include "unit/sets/split_sets.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

std::string master_of(SetSource& source) {
  MasterBuilder builder;
  source.for_each_trace(1, [&](Trace&& t) {
    builder.begin_rank(t.rank, t.metadata);
    builder.nodes(t.nodes);
    builder.end_rank();
  });
  MasterSet set = builder.finish();
  if (const auto groups = source.groups()) set.groups = groups->json;
  std::string bytes;
  const auto out = memory_output(bytes);
  write_master(set, *out);
  out->close();
  return bytes;
}

// Returns the size of the class-compressed set.
std::size_t expect_lossless(const SourceOptions& options) {
  SCOPED_TRACE(options.operands.front());
  Diagnostics diagnostics;
  TraceSource source(options, diagnostics);
  EXPECT_TRUE(source.prepare(false));
  const std::string bytes = master_of(source);
  const auto input = memory_input("set.etm", bytes);
  ClassSet classes("set", read_master(*input));
  TraceSource again(options, diagnostics);
  EXPECT_TRUE(again.prepare(false));
  EXPECT_TRUE(test::set_bytes(classes) == test::set_bytes(again));
  return bytes.size();
}

TEST(MasterCorpus, TraceSets) {
  REQUIRE_CORPUS();
  std::size_t sets = 0;
  for (const fs::path& file : corpus::files_of(corpus::root(), ".0.et")) {
    (void)expect_lossless({.operands = {file.string().substr(0, file.string().size() - 5)}, .hash = false});
    ++sets;
  }
  for (const fs::path& file : corpus::files_of(corpus::root() / "workloads" / "sets", ".jsonl.gz")) {
    (void)expect_lossless({.operands = {file}, .hash = false});
    ++sets;
  }
  EXPECT_GT(sets, 300U);
}

// A recorded set of four ranks, whose tar takes 323,768 bytes with zstd: less than 45 % of its size.
TEST(MasterCorpus, RecordedSetsAreSmall) {
  REQUIRE_CORPUS();
  SourceOptions options{.operands = {}, .hash = true};
  const fs::path set = corpus::root() / "pytorch" / "inputs" / "syn_4rank";
  for (Rank r = 0; r < 4; ++r) {
    options.operands.push_back(set / ("host_" + std::to_string(r) + ".json.gz"));
    options.linked.push_back({.rank = r, .device = set / ("kineto_" + std::to_string(r) + ".json.gz")});
  }
  EXPECT_LT(expect_lossless(options), 323'768U * 45 / 100);
}

}  // namespace
