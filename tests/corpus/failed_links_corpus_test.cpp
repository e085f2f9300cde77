// SPDX-License-Identifier: MIT
// All-gathers around failed links: proved, and near the bound of the remaining network. Requires no files of the
// corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "common/expect_error.h"
#include "config/network/network.h"
#include "corpus/synthesis_judge.h"
#include "sanitized.h"
#include "util/draw.h"

namespace {

using namespace convert;

constexpr const char* torus = "torus:8x8,bw=50GB/s,lat=500ns";
constexpr std::int64_t whole = std::int64_t{64} << 20U;  // 1 MiB for each NPU

// Returns `count` different links: "3-4", or "3>4", which fails in one direction.
std::vector<std::string> draw_links(const WireGraph& graph, Draw& draw, std::uint64_t count, bool one_way) {
  std::set<std::pair<Device, Device>> links;
  while (links.size() < count) {
    const GraphWire& w = graph.wires[draw.below(graph.wires.size())];
    const bool as_it_is = one_way || w.from < w.to;
    links.emplace(as_it_is ? w.from : w.to, as_it_is ? w.to : w.from);
  }
  std::vector<std::string> out;
  for (const auto& [from, to] : links)
    out.push_back(std::to_string(from) + (one_way ? ">" : "-") + std::to_string(to));
  return out;
}

// Expects random cases to be proved, and to take at most 1.06 times the bound with effort fast, otherwise 1.03.
// Records the maximum.
void expect_near_bound(std::uint64_t draws, std::uint64_t most_links, bool one_way) {
  const NetworkConfig network = parse_short_network(torus);
  const WireGraph graph = build_wire_graph(network);
  std::array<double, 2> worst{};
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Draw draw(seed, one_way ? 2 : 1, 0);
    const auto failed = draw_links(graph, draw, 1 + seed % most_links, one_way);
    std::string what = "seed " + std::to_string(seed);
    for (const std::string& link : failed) what += ", " + link;
    Diagnostics diagnostics;
    const SynthesisProblem problem = make_problem(
        network, {.collective = Collective::all_gather, .bytes = whole, .failed = failed}, diagnostics);
    for (const bool fast : {false, true}) {
      if (fast && seed % 4 != 3) continue;
      const SynthesizedAlgorithm made =
          corpus::synthesized(problem, {.effort = fast ? SynthesisEffort::fast : SynthesisEffort::normal});
      corpus::expect_proved(what, network, problem, made, failed);
      const double over = corpus::over_bound(problem, made);
      EXPECT_LE(over, fast ? 1.06 : 1.03) << what << (fast ? ", fast" : "");
      worst[fast ? 1 : 0] = std::max(worst[fast ? 1 : 0], over);
    }
  }
  ::testing::Test::RecordProperty("worst", std::to_string(worst[0]));
  ::testing::Test::RecordProperty("worst_fast", std::to_string(worst[1]));
}

TEST(FailedLinksCorpusTest, BothWays) { expect_near_bound(test::rounds(100U), 4, false); }

TEST(FailedLinksCorpusTest, OneWay) { expect_near_bound(test::rounds(50U), 2, true); }

// An NPU that no other can reach, or that can reach no other.
TEST(FailedLinksCorpusTest, CutOff) {
  const NetworkConfig network = parse_short_network(torus);
  const auto refusal = [&](const std::vector<std::string>& failed) {
    Diagnostics diagnostics;
    return test::error_text([&] { (void)make_problem(network, {.bytes = whole, .failed = failed}, diagnostics); },
                            Error::Kind::input);
  };
  const std::string file = std::string(torus) + ": ";
  EXPECT_EQ(refusal({"9-1", "9-8", "9-10", "9-17"}), file + "there is no route from npu0 to npu9");
  EXPECT_EQ(refusal({"9>1", "9>8", "9>10", "9>17"}), file + "there is no route from npu9 to npu0");
}

}  // namespace
