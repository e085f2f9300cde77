// SPDX-License-Identifier: MIT
#include "generate/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/expect_error.h"
#include "core/diagnostic.h"
#include "generate/generate.h"

namespace convert {
namespace {

std::vector<Trace> noisy_set(const GenerateRequest& r) {
  const MakeTrace make_rank = trace_generator(r);
  std::vector<Trace> set;
  for (Rank rank = 0; rank < r.ranks; ++rank) set.push_back(make_rank(rank));
  return set;
}

std::map<std::string, std::int64_t> times_ns(const Trace& t) {
  std::map<std::string, std::int64_t> out;
  for (const Node& n : t.nodes.nodes) {
    if (n.type != NodeType::comp) continue;
    const IntValue exact = int_value(t.nodes.attributes(n), attr::duration_nanos);
    out[std::string(t.nodes.name(n))] = exact ? exact.value : static_cast<std::int64_t>(n.duration_us) * 1000;
  }
  return out;
}

GenerateRequest noisy_layers(const Noise& noise) {
  GenerateRequest r{.kind = "layers", .ranks = 3};
  r.compute_ns = 1'000'000'000;
  r.layers = 4;
  r.iterations = 2;
  r.noise = noise;
  return r;
}

TEST(Noise, FactorsHaveTheMeanOneAndTheirSpread) {
  const Noise noise{.node = 0.3};
  constexpr std::uint64_t count = 20'000;
  double sum = 0, squares = 0, logarithms = 0;
  for (std::uint64_t node = 0; node < count; ++node) {
    const double factor = static_cast<double>(noise.time(1'000'000'000, 0, node)) * 1e-9;
    sum += factor;
    squares += factor * factor;
    logarithms += std::log(factor);
  }
  const double mean = sum / count, variance = squares / count - mean * mean;
  EXPECT_NEAR(mean, 1, 0.01);  // standard error 0.3/sqrt(20000) = 0.002
  EXPECT_NEAR(std::sqrt(variance), std::sqrt(std::expm1(0.09)), 0.01);
  EXPECT_NEAR(logarithms / count, -0.045, 0.01);
}

TEST(Noise, TheFactorOfALayerIsThatOfAllRanksPassesAndIterations) {
  for (const Trace& t : noisy_set(noisy_layers({.layer = 0.3, .seed = 4}))) {
    const auto times = times_ns(t);
    EXPECT_NE(times.at("forward layer 0 iteration 0"), 1'000'000'000);
    EXPECT_NE(times.at("forward layer 0 iteration 0"), times.at("forward layer 1 iteration 0"));
    for (const char* layer : {"0", "1", "2", "3"}) {
      const std::int64_t time = times.at("forward layer " + std::string(layer) + " iteration 0");
      EXPECT_EQ(times.at("forward layer " + std::string(layer) + " iteration 1"), time);
      EXPECT_NEAR(static_cast<double>(times.at("backward layer " + std::string(layer) + " iteration 0")),
                  2 * static_cast<double>(time), 1);
    }
  }
  EXPECT_EQ(times_ns(noisy_set(noisy_layers({.layer = 0.3}))[0]),
            times_ns(noisy_set(noisy_layers({.layer = 0.3}))[2]));
}

TEST(Noise, TheFactorOfARankIsThatOfAllItsNodes) {
  std::vector<std::int64_t> of_ranks;
  for (const Trace& t : noisy_set(noisy_layers({.rank = 0.1}))) {
    of_ranks.push_back(times_ns(t).at("forward layer 0 iteration 0"));
    for (const auto& [name, time] : times_ns(t)) {
      const double base = name.starts_with("forward") ? 1 : 2;
      EXPECT_NEAR(static_cast<double>(time), base * static_cast<double>(of_ranks.back()), 1) << name;
    }
  }
  EXPECT_NE(of_ranks[0], of_ranks[1]);
  EXPECT_NE(of_ranks[1], of_ranks[2]);
}

TEST(Noise, FactorsOfNodesDifferAndMultiply) {
  const Noise all{.layer = 0.3, .rank = 0.03, .node = 0.08, .seed = 9};
  const auto alone = [&](double Noise::*which) {
    Noise one{.seed = 9};
    one.*which = all.*which;
    return static_cast<double>(one.time(1'000'000'000, 5, 6, 7)) * 1e-9;
  };
  const double product = alone(&Noise::layer) * alone(&Noise::rank) * alone(&Noise::node);
  EXPECT_NEAR(static_cast<double>(all.time(1'000'000'000, 5, 6, 7)) * 1e-9, product, 1e-8);
  EXPECT_NE(all.time(1'000'000, 5, 6, 7), all.time(1'000'000, 5, 7, 7));
  EXPECT_NE(all.time(1'000'000, 5, 6, 7), all.time(1'000'000, 6, 6, 7));
  EXPECT_NE(all.time(1'000'000, 5, 6, 7),
            (Noise{.layer = 0.3, .rank = 0.03, .node = 0.08, .seed = 8}.time(1'000'000, 5, 6, 7)));
}

TEST(Noise, NoTimeBecomesNoneAndNoneStaysNone) {
  const Noise noise{.node = most_noise};
  for (std::uint64_t node = 0; node < 100; ++node) {
    EXPECT_EQ(noise.time(0, 0, node), 0U);
    EXPECT_GE(noise.time(1, 0, node), 1U);
    EXPECT_LE(noise.time(std::uint64_t{1} << 53, 0, node), std::uint64_t{1} << 53);
  }
  EXPECT_EQ(Noise{}.time(12'345, 1, 2, 3), 12'345U);
}

TEST(Noise, ChangesNothingButTimes) {
  const auto plain = noisy_set(noisy_layers({})),
             noisy = noisy_set(noisy_layers({.layer = 0.3, .rank = 0.03, .node = 0.08}));
  for (std::size_t rank = 0; rank < plain.size(); ++rank) {
    EXPECT_EQ(noisy[rank].nodes.deps, plain[rank].nodes.deps);
    ASSERT_EQ(noisy[rank].nodes.nodes.size(), plain[rank].nodes.nodes.size());
  }
}

TEST(Noise, ReadsSettings) {
  const std::vector<std::string> given = {"node=0.08", "layer=0.3"};
  const Noise noise = parse_noise(given);
  EXPECT_EQ(noise.layer, 0.3);
  EXPECT_EQ(noise.rank, 0);
  EXPECT_EQ(noise.node, 0.08);
  EXPECT_FALSE(parse_noise({}).given());
  const auto refuse = [](const std::vector<std::string>& settings, const char* message) {
    const Error error = test::thrown_error([&] { (void)parse_noise(settings); });
    EXPECT_EQ(error.kind(), Error::Kind::usage);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  };
  refuse({"nodes=0.1"}, "noise 'nodes=0.1'; did you mean node?");
  refuse({"=0.1"}, "noise '=0.1': expected layer, rank or node, such as layer=0.3");
  refuse({"node=0.1", "node=0.1"}, "noise 'node=0.1': node is repeated");
  for (const char* bad : {"node", "node=", "node=x", "node=-0.1", "node=2.1", "node=nan", "node=inf", "node=0.1 "})
    refuse({bad}, ": expected a number from 0 to 2, such as node=0.3");
}

}  // namespace
}  // namespace convert
