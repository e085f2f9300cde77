// SPDX-License-Identifier: MIT
// ASTRA-sim 1.0 text workloads: every trace of the reference converter byte for byte, and a workload of the
// ASTRA-sim cases through et-convert, to the cycle.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "config/network/network.h"
#include "corpus.h"
#include "scenario/inputs.h"
#include "sets/schedules.h"
#include "sets/sink.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Converts a set of ranks to the default output format, as for a user.
void convert_to(const fs::path& input, const std::string& from, const fs::path& prefix) {
  Diagnostics diagnostics;
  TraceSource source({.operands = {input.string()}, .from = from}, diagnostics);
  const SinkOptions options{.to = {}, .path = prefix.string(), .history = "a tool", .jobs = 2};
  write_set(source, plan_sink(source, options), options, diagnostics);
}

TEST(TextCorpus, TheReferencesTraces) {
  REQUIRE_CORPUS();
  const fs::path root = corpus::root() / "text";
  const fs::path scratch = fs::path(::testing::TempDir()) / "etkit_text_corpus";
  fs::create_directories(scratch);
  std::set<std::string> expected;
  for (const auto& e : fs::directory_iterator(root / "expected")) expected.insert(e.path().filename().string());
  std::size_t same = 0;
  std::size_t refused = 0;
  for (const auto& e : fs::directory_iterator(root / "inputs")) {
    const std::string name = e.path().stem().string();
    SCOPED_TRACE(name);
    const bool supported = expected.contains(name + ".0.et");
    try {
      convert_to(e.path(), "astra-text,npus=4,passes=2,compat=chakra", scratch / name);
    } catch (const Error& error) {
      EXPECT_FALSE(supported) << error.what();
      EXPECT_EQ(error.where().line, 1U);
      ++refused;
      continue;
    }
    EXPECT_TRUE(supported);
    for (int rank = 0; rank < 4; ++rank) {
      const std::string file = name + "." + std::to_string(rank) + ".et";
      EXPECT_EQ(bytes_of(scratch / file), bytes_of(root / "expected" / file)) << file;
      ++same;
    }
  }
  EXPECT_EQ(same, expected.size());
  EXPECT_EQ(refused, 3U);
  fs::remove_all(scratch);
}

TEST(TextCorpus, ReplayOfAWorkload) {
  REQUIRE_CORPUS();
  const fs::path dir = corpus::root() / "astra" / "cases" / "N_hoti_mlp";
  const NetworkConfig network = find_network((dir / "network.yml").string());
  for (const NetworkModel model : {NetworkModel::unaware, NetworkModel::aware}) {
    ReplayOptions options;
    options.astra = true;
    options.issue = IssueMode::workload;
    options.network.model = model;
    SystemInputs inputs;
    inputs.system = (dir / "system.json").string();
    inputs.memory = (dir / "memory.json").string();
    options.system = load_system(inputs, network);
    Diagnostics diagnostics;
    TraceSource source({.operands = {(corpus::root() / "text" / "inputs" / "hoti2024_workload_text.txt").string()},
                        .from = "astra-text,npus=8"},
                       diagnostics);
    const auto program = load_program(source, network, options, false, 1, diagnostics);
    ASSERT_TRUE(program);
    const ReplayResult result = replay(*program);
    ASSERT_EQ(result.npus.size(), 8U);
    for (const NpuResult& npu : result.npus) {
      EXPECT_EQ(npu.finish_ps, 195'350'188 * ps_per_ns);
      EXPECT_EQ(npu.astra_exposed_ps, 144'188 * ps_per_ns);
    }
  }
}

}  // namespace
