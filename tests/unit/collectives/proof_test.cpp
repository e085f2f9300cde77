// SPDX-License-Identifier: MIT
// Every algorithm, every collective that it supports, every number of ranks up to 64: proved by the verifier.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "collectives/collective.h"
#include "common/findings.h"
#include "passes/lower/call_range.h"
#include "passes/verify/verify.h"
#include "sanitized.h"

namespace convert {
namespace {

// All findings for the calls that a program may declare, without warnings of runtime limits for programs with many
// ranks.
std::string findings(Algorithm a) {
  if (!a.max_bytes) (void)set_calls(a, {0, undeclared_max_bytes});
  Diagnostics diagnostics;
  diagnostics.set_wanted([](const Diagnostic& d) { return d.rule != "limits"; });
  VerifyOptions options;
  options.dataflow = true;
  check_structure(a, diagnostics);
  verify(make_step_graph(a), options, diagnostics);
  return test::findings_text(diagnostics);
}

void prove(const Algorithm& a, const CollectiveRequest& r) {
  SCOPED_TRACE(a.name + " root " + std::to_string(r.root.value_or(0)));
  ASSERT_EQ(findings(a), "");
  for (const Gpu& gpu : a.gpus) EXPECT_TRUE(gpu.complete);
  EXPECT_LE(a.channels, max_channels);
  EXPECT_EQ(a.ranks(), r.ranks);
}

void prove(const CollectiveRequest& r) { prove(build_collective(r), r); }

TEST(Proof, EveryAlgorithmForAllNumbersOfRanks) {
  std::size_t programs = 0;
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (algorithm.takes_dims) continue;
    for (const Collective collective : algorithm.collectives) {
      for (std::int32_t n = 2; n <= (test::sanitized ? 24 : 64); ++n) {
        for (const std::int32_t chunks : {1, 2, 3}) {
          if (chunks == 3 && n > 17) continue;
          prove({.collective = collective, .algorithm = std::string(algorithm.name), .ranks = n, .chunks = chunks});
          if (HasFatalFailure()) return;
          ++programs;
        }
      }
    }
  }
  EXPECT_GT(programs, test::sanitized ? 1000U : 3000U);
}

TEST(Proof, NoCallHangsWhereStepsFitMessages) {
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    for (const Collective collective : algorithm.collectives) {
      for (const std::int32_t n : {4, 8, 12, 16}) {
        for (const Protocol protocol : {Protocol::simple, Protocol::ll}) {
          CollectiveRequest r{.collective = collective, .algorithm = std::string(algorithm.name), .ranks = n};
          r.protocol = protocol;
          r.largest_call = 0;  // without limit
          if (algorithm.takes_dims) r.dims = {2, n / 2};
          Algorithm a = build_collective(r);
          a.max_bytes = 0;
          prove(a, r);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Proof, EveryRoot) {
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
      if (!algorithm.offers(collective)) continue;
      for (const std::int32_t n : {2, 3, 6, 8, 13}) {
        for (std::int32_t root = 0; root < n; ++root) {
          prove({.collective = collective,
                 .algorithm = std::string(algorithm.name),
                 .ranks = n,
                 .chunks = 2,
                 .root = root});
        }
      }
    }
  }
}

TEST(Proof, EveryProtocol) {
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (algorithm.takes_dims) continue;
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128}) {
      for (const std::int32_t n : {5, 8, 12}) {
        CollectiveRequest r{.collective = algorithm.collectives.front(),
                            .algorithm = std::string(algorithm.name),
                            .ranks = n,
                            .chunks = 2};
        r.protocol = protocol;
        prove(r);
      }
    }
  }
}

TEST(Proof, RingsInAnyOrder) {
  using enum Collective;
  std::mt19937 random(21);
  for (const std::int32_t n : {2, 3, 5, 8, 16}) {
    for (const std::size_t channels : {1, 3}) {
      std::vector<std::vector<std::int32_t>> rings(channels);
      for (auto& ring : rings) {
        ring.resize(static_cast<std::size_t>(n));
        std::iota(ring.begin(), ring.end(), 0);
        std::ranges::shuffle(ring, random);
      }
      for (const Collective collective : {all_reduce, all_gather, reduce_scatter, broadcast, reduce}) {
        for (const std::int32_t chunks : {1, 3, 10}) {
          CollectiveRequest r{.collective = collective, .algorithm = "graph", .ranks = n, .chunks = chunks};
          if (collective == broadcast || collective == reduce) r.root = n - 1;
          for (const Protocol protocol : {Protocol::simple, Protocol::ll}) {
            r.protocol = protocol;
            prove(build_on_rings(r, rings), r);
          }
        }
      }
    }
  }
}

const std::vector<std::vector<std::int32_t>> shapes = {
    {2, 2}, {2, 3},    {3, 2},    {4, 4},    {8, 2},       {2, 8},    {2, 2, 2},    {2, 4, 8}, {3, 5}, {5, 3, 2},
    {7},    {1, 6, 1}, {2, 1, 3}, {3, 3, 3}, {2, 2, 2, 2}, {4, 2, 4}, {2, 3, 2, 2}, {6, 5},    {40, 1}};

CollectiveRequest request_of(std::string algorithm, const std::vector<std::int32_t>& dims) {
  return {.algorithm = std::move(algorithm),
          .ranks = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()),
          .dims = dims};
}

TEST(Proof, EveryAlgorithmWithDimensionsInAllShapes) {
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (!algorithm.takes_dims) continue;
    for (const auto& dims : shapes) {
      CollectiveRequest r = request_of(std::string(algorithm.name), dims);
      for (const std::int32_t chunks : {1, 2}) {
        r.chunks = chunks;
        for (const Collective c : algorithm.collectives) {
          r.collective = c;
          prove(r);
        }
      }
    }
  }
}

TEST(Proof, HierarchicalOfEachScheme) {
  for (const auto& dims : shapes) {
    CollectiveRequest r = request_of("hierarchical", dims);
    for (const std::int32_t chunks : {1, 2}) {
      r.chunks = chunks;
      for (const char* scheme : {"direct", "halving_doubling"}) {  // without one it is ring
        r.dim_algorithms = {scheme};
        for (const Collective c : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
          r.collective = c;
          prove(r);
        }
      }
    }
  }
  prove({.collective = Collective::all_reduce,
         .algorithm = "hierarchical",
         .ranks = 60,
         .dims = {4, 5, 3},
         .dim_algorithms = {"direct", "ring", "halving_doubling"}});
}

// Steps of more than 71 chunks are split.
TEST(Proof, ManyRanks) {
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (algorithm.takes_dims) continue;
    for (const Collective collective : algorithm.collectives) {
      for (const std::int32_t n : {100, 129, 256}) {
        if (test::sanitized && n > 200) continue;
        prove({.collective = collective, .algorithm = std::string(algorithm.name), .ranks = n});
      }
    }
  }
  prove({.algorithm = "halving_doubling", .ranks = 256});
  prove({.algorithm = "rabenseifner", .ranks = 300});
  prove({.algorithm = "double_binary_tree", .ranks = test::rounds(1000), .chunks = 4});
  prove({.collective = Collective::all_to_all, .algorithm = "hierarchical", .ranks = 160, .dims = {80, 2}});
}

}  // namespace
}  // namespace convert
