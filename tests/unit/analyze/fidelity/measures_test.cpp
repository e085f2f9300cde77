// SPDX-License-Identifier: MIT
// Values of the metrics, compared with hand-computed numbers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/fidelity/autocorrelation.h"
#include "analyze/fidelity/distribution.h"
#include "analyze/fidelity/fidelity.h"
#include "analyze/fidelity/node_class.h"

namespace convert {
namespace {

Distribution values(std::vector<std::int64_t> v) { return Distribution(std::move(v)); }

TEST(Distribution, KeepsTwelveBits) {
  const Distribution d = values({4095, 4096, 4097, 8191, 8192, 8193, -5, 0});
  std::vector<std::int64_t> kept;
  std::vector<std::uint64_t> times;
  for (const Repeated& r : d.bins()) {
    kept.push_back(r.value);
    times.push_back(r.times);
  }
  EXPECT_EQ(kept, (std::vector<std::int64_t>{0, 4095, 4096, 8190, 8192}));
  EXPECT_EQ(times, (std::vector<std::uint64_t>{2, 1, 2, 1, 2}));
  EXPECT_EQ(d.count(), 8U);
  EXPECT_EQ(values({INT64_MAX}).bins()[0].value, INT64_MAX >> 51 << 51);
}

TEST(Distribution, AddsOthersSoManyTimes) {
  Distribution d = values({1, 3});
  d.add(values({0, 1, 5}), 3);
  EXPECT_EQ(d.count(), 11U);
  ASSERT_EQ(d.bins().size(), 4U);
  EXPECT_EQ(d.bins()[0].times, 3U);
  EXPECT_EQ(d.bins()[1].times, 4U);
  EXPECT_EQ(d.bins()[2].times, 1U);
  EXPECT_EQ(d.bins()[3].value, 5);
}

TEST(Distribution, DistanceOfKolmogorovAndSmirnov) {
  EXPECT_EQ(ks_distance(values({1, 2, 3, 4}), values({4, 3, 2, 1})), 0);
  EXPECT_EQ(ks_distance(values({1, 2}), values({3, 4})), 1);
  EXPECT_EQ(ks_distance(values({1, 2, 3, 4}), values({3, 4, 5, 6})), 0.5);
  EXPECT_EQ(ks_distance(values({1, 1, 1, 9}), values({1, 9, 9, 9})), 0.5);
  EXPECT_EQ(ks_distance(values({1, 2}), values({1, 1, 2, 2})), 0);  // shares are compared, not counts
  EXPECT_EQ(ks_distance(values({}), values({})), 0);
  EXPECT_EQ(ks_distance(values({}), values({7})), 1);
}

NodeClass named(const char* name) {
  return {.type = NodeType::comp, .name = number_of_name(name, IterationNumbers::without)};
}
NodeClass reducing(std::int64_t bytes) { return {.type = NodeType::comm_coll, .op = 0, .bytes = bytes}; }

TEST(ClassDistance, IsHalfOfWhatFrequenciesDiffer) {
  const ClassCounts a = {{named("x"), 3}, {named("y"), 1}};
  EXPECT_EQ(class_distance(a, {{named("x"), 1}, {named("y"), 3}}).total_variation, 0.5);
  EXPECT_EQ(class_distance(a, {{named("x"), 30}, {named("y"), 10}}).total_variation, 0);
  EXPECT_EQ(class_distance(a, {{named("x"), 4}}).total_variation, 0.25);
  EXPECT_EQ(class_distance({}, {}).total_variation, 0);
}

TEST(ClassDistance, TakesNewNamesForThoseOfOneFrequency) {
  const ClassCounts a = {{named("x"), 3}, {named("y"), 2}, {named("z"), 5}};
  const ClassDistance d = class_distance(a, {{named("1"), 2}, {named("2"), 3}, {named("z"), 5}});
  EXPECT_EQ(d.total_variation, 0);
  EXPECT_EQ(d.unknown_a, 2U);
  EXPECT_EQ(d.unknown_b, 2U);
  EXPECT_EQ(d.renamed, 2U);
  // 0.3 and 0.2 against 0.4, 0.05 and 0.05.
  const ClassCounts b = {{named("1"), 8}, {named("2"), 1}, {named("3"), 1}, {named("z"), 10}};
  EXPECT_NEAR(class_distance(a, b).total_variation, (0.1 + 0.15 + 0.05) / 2, 1e-12);
  EXPECT_EQ(class_distance(a, b).renamed, 2U);
}

TEST(ClassDistance, GivesNoOtherTypeOrSizeForANewName) {
  NodeClass on_cpu = named("y");
  on_cpu.on_cpu = true;
  EXPECT_EQ(class_distance({{named("x"), 4}}, {{on_cpu, 4}}).total_variation, 1);
  EXPECT_EQ(class_distance({{reducing(64), 4}}, {{reducing(65), 4}}).total_variation, 1);
}

TEST(ClassDistance, NumbersOfIterationsMakeNoClass) {
  const auto number = [](const char* name) { return number_of_name(name, IterationNumbers::without); };
  EXPECT_EQ(number("forward layer 3 iteration 0"), number("forward layer 3 iteration 12"));
  EXPECT_NE(number("forward layer 3 iteration 0"), number("forward layer 4 iteration 0"));
  EXPECT_EQ(number("ProfilerStep#1"), number("ProfilerStep#22"));
  EXPECT_NE(number("gemm 1"), number("gemm 2"));
  EXPECT_NE(number_of_name("ProfilerStep#1", IterationNumbers::with),
            number_of_name("ProfilerStep#2", IterationNumbers::with));
  EXPECT_NE(number(""), 0U);
}

Autocorrelation repeats(const std::string& letters) {
  const std::vector<std::uint64_t> sequence(letters.begin(), letters.end());
  return Autocorrelation(sequence);
}

TEST(Autocorrelation, IsOneAtThePeriod) {
  const Autocorrelation two = repeats("ABABABAB");
  EXPECT_EQ(two.at(1), -1);  // none is equal, half would be by chance
  EXPECT_EQ(two.at(2), 1);
  EXPECT_EQ(two.at(7), -1);
  EXPECT_EQ(two.at(8), std::nullopt);
  EXPECT_EQ(two.at(0), std::nullopt);
  EXPECT_EQ(repeats("AAAA").at(3), 1);
  EXPECT_EQ(repeats("").at(1), std::nullopt);
  EXPECT_NEAR(*repeats("AABBAABB").at(1), (4.0 / 7 - 0.5) / 0.5, 1e-12);
}

TEST(Autocorrelation, DistanceIsTheLargestOfAllLags) {
  EXPECT_EQ(autocorrelation_distance(repeats("ABABABAB"), repeats("ABABABAB")), 0);
  EXPECT_EQ(autocorrelation_distance(repeats("ABABABAB"), repeats("AABBAABB")), 2);  // at lag 2: 1 and -1
  EXPECT_EQ(autocorrelation_distance(repeats("A"), repeats("AABB")), std::nullopt);
  Autocorrelation sum = repeats("ABAB");
  sum.add(repeats("ABAB"), 2);
  EXPECT_EQ(sum.at(2), 1);
  EXPECT_EQ(autocorrelation_distance(sum, repeats("ABAB")), 0);
}

TEST(Fidelity, RelativeChange) {
  EXPECT_EQ(relative_change(4, 5), 0.25);
  EXPECT_EQ(relative_change(0, 0), 0);
  EXPECT_EQ(relative_change(0, 1), std::nullopt);
}

TEST(Fidelity, TrafficByPairs) {
  const std::vector<SentBytes> a = {{0, 1, 100}, {1, 0, 100}};
  EXPECT_EQ(compare_traffic(a, a).distance, 0);
  const TrafficFidelity t = compare_traffic(a, {{0, 1, 150}, {2, 0, 30}});
  EXPECT_EQ(t.a_bytes, 200);
  EXPECT_EQ(t.b_bytes, 180);
  EXPECT_EQ(t.distance, (50.0 + 100 + 30) / 200);
  EXPECT_EQ(compare_traffic({}, a).distance, std::nullopt);
  EXPECT_EQ(compare_traffic({}, {}).distance, 0);
}

}  // namespace
}  // namespace convert
