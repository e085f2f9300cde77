// SPDX-License-Identifier: MIT
// Figure 4 as computed by ASTRA-sim: all-reduce, then all-gather of 64 NPUs, as a custom ring and as native rings,
// on nine topologies in four sizes.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "corpus.h"
#include "scenario/inputs.h"
#include "sets/schedules.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"

namespace {

using namespace convert;
namespace fs = std::filesystem;

constexpr std::int64_t stored_bytes = 1 << 20;  // of the all-reduce in the corpus' traces
const std::map<std::string, std::int64_t> sizes = {
    {"64KB", 1 << 16}, {"1MB", 1 << 20}, {"16MB", 1 << 24}, {"256MB", 1 << 28}};

// Every message and collective scales with the size of the all-reduce.
Trace scaled(Trace trace, std::int64_t bytes) {
  for (Attr& a : trace.nodes.attrs) {
    if (a.name != attr::comm_size) continue;
    const std::int64_t product = static_cast<std::int64_t>(a.bits) * bytes;
    EXPECT_EQ(product % stored_bytes, 0);
    a.bits = static_cast<std::uint64_t>(product / stored_bytes);
  }
  return trace;
}

class Figure4 {
 public:
  explicit Figure4(fs::path dir) : dir_(std::move(dir)) {
    for (const char* set : {"workload", "ar", "ag"}) {
      Diagnostics diagnostics;
      TraceSource source({.operands = {(dir_ / set).string()}, .hash = false}, diagnostics);
      EXPECT_TRUE(source.prepare(false)) << set;
      traces_[(dir_ / set).string()] = source.load(1);
    }
  }

  [[nodiscard]] std::optional<ReplayResult> run(const std::string& kind, const std::string& topology,
                                                std::int64_t bytes, const std::string& backend, bool symmetry) {
    const NetworkConfig network = find_network((dir_ / (topology + ".yml")).string());
    const std::string system =
        kind == "native_ring" ? "native" + std::to_string(network.dims.size()) + ".json" : "custom.json";
    ReplayOptions options;
    options.astra = true;
    options.symmetry = symmetry;
    options.issue = IssueMode::workload;
    options.network.model = backend == "unaware" ? NetworkModel::unaware : NetworkModel::aware;
    SystemInputs inputs;
    inputs.system = (dir_ / system).string();
    inputs.memory = (dir_ / "memory.json").string();
    options.system = load_system(inputs, network);
    Diagnostics diagnostics;
    ReplayBuilder builder(network, options, diagnostics);
    for (const std::string& prefix : custom_prefixes(*options.system)) {
      for (const Trace& t : traces_.at(prefix)) builder.add_custom(prefix, scaled(t, bytes));
    }
    for (const Trace& t : traces_.at((dir_ / "workload").string())) builder.add(scaled(t, bytes));
    const auto program = builder.finish();
    for (const Diagnostic& d : diagnostics.all()) ADD_FAILURE() << format_diagnostic(d);
    return program ? std::optional(replay(*program)) : std::nullopt;
  }

 private:
  fs::path dir_;
  std::map<std::string, std::vector<Trace>> traces_;  // by prefix
};

std::vector<std::int64_t> finish_of(const std::optional<ReplayResult>& result) {
  std::vector<std::int64_t> finish;
  if (!result) return finish;
  for (const NpuResult& n : result->npus) finish.push_back(n.finish_ps ? *n.finish_ps / ps_per_ns : -1);
  return finish;
}

void expect_entry(simdjson::dom::element entry, const std::vector<std::int64_t>& finish, std::int64_t ring64) {
  EXPECT_EQ(std::string_view(entry["status"]), "ok");
  ASSERT_EQ(finish.size(), 64U);
  const std::int64_t last = *std::max_element(finish.begin(), finish.end());
  EXPECT_EQ(*std::min_element(finish.begin(), finish.end()), std::int64_t(entry["min"]));
  EXPECT_EQ(last, std::int64_t(entry["max"]));
  const double slowdown = static_cast<double>(last) / static_cast<double>(ring64);
  EXPECT_EQ(std::lround(slowdown * 10'000), std::lround(double(entry["slowdown_vs_Ring64"]) * 10'000));
  simdjson::dom::array listed;
  if (entry["finish"].get(listed) != simdjson::SUCCESS) return;
  std::vector<std::int64_t> expected;
  for (const simdjson::dom::element e : listed) expected.push_back(std::int64_t(e));
  EXPECT_EQ(finish, expected);
}

TEST(Figure4Corpus, EveryEntry) {
  REQUIRE_CORPUS();
  const fs::path root = corpus::root() / "astra";
  Figure4 figure(root / "fig4" / "1MB");
  std::map<std::string, std::int64_t> ring64;  // "kind|size": end of the last NPU in the 1-D ring
  simdjson::dom::parser parser;
  int checked = 0;
  int listed = 0;
  for (const auto& [key, entry] : simdjson::dom::object(parser.load((root / "fig4.json").string()))) {
    SCOPED_TRACE(std::string(key));
    const auto parts = corpus::split(std::string(key), '|');  // kind, topology, size, backend
    ASSERT_EQ(parts.size(), 4U);
    const std::int64_t bytes = sizes.at(parts[2]);
    std::int64_t& of_ring = ring64[parts[0] + "|" + parts[2]];
    if (of_ring == 0) {
      const auto finish = finish_of(figure.run(parts[0], "Ring64", bytes, "aware", false));
      ASSERT_EQ(finish.size(), 64U);
      of_ring = *std::max_element(finish.begin(), finish.end());
    }
    const auto finish = finish_of(figure.run(parts[0], parts[1], bytes, parts[3], false));
    expect_entry(entry, finish, of_ring);
    EXPECT_EQ(finish_of(figure.run(parts[0], parts[1], bytes, parts[3], true)), finish) << "with symmetry";
    simdjson::dom::array all;
    listed += entry["finish"].get(all) == simdjson::SUCCESS ? 1 : 0;
    ++checked;
  }
  std::cout << checked << " entries, " << listed << " with a list of times by NPU\n";
  EXPECT_EQ(checked, 144);
}

}  // namespace
