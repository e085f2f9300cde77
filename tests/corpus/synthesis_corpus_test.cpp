// SPDX-License-Identifier: MIT
// Bounds of the networks of the corpus compared with its tables.
#include <gtest/gtest.h>

#include "corpus/corpus.h"
#include "corpus/synthesis_networks.h"
#include "sanitized.h"
#include "synthesis/bounds/bounds.h"

namespace {

using namespace convert;
using Row = std::map<std::string, std::string>;

constexpr std::int64_t mebibyte = 1 << 20;

// Rows of a table; with sanitizers, without networks of at least 500 NPUs.
std::vector<Row> table_rows(const std::string& name) {
  std::vector<Row> rows = corpus::read_table(corpus::synthesis_folder() / name);
  if (test::sanitized) std::erase_if(rows, [](const Row& row) { return row.at("participants").size() > 3; });
  return rows;
}

// Expects a time as in a table, to its last digit; "-" means none.
void expect_us(Picoseconds time, const std::string& cell, const std::string& where) {
  if (cell == "-") return;
  EXPECT_NEAR(static_cast<double>(time) * 1e-6, std::stod(cell), 0.000501) << where;
}

TEST(SynthesisCorpusTest, BoundsOfAllGathersAreThoseOfTheTable) {
  REQUIRE_CORPUS();
  std::vector<Row> rows = table_rows("bounds.tsv");
  EXPECT_GE(rows.size(), 50U);
  for (Row& row : rows) {
    const std::string& name = row["topology"];
    SynthesisProblem p =
        corpus::synthesis_problem(corpus::synthesis_network(name), Collective::all_gather, mebibyte);
    p.occupancy = Schedule::Occupancy::alpha_beta;
    EXPECT_EQ(std::to_string(p.size()), row["participants"]) << name;
    EXPECT_EQ(std::to_string(p.graph.devices), row["devices"]) << name;
    EXPECT_EQ(std::to_string(p.graph.links.size()), row["links"]) << name;
    const Bounds bounds = find_bounds(p);
    const Bound& bandwidth = *bounds.find(BoundKind::bandwidth);
    const Fraction rate = us_per_byte(p.graph, bandwidth.crossings.front());
    EXPECT_EQ(std::to_string(rate.numerator), row["bound_numerator"]) << name;
    EXPECT_EQ(std::to_string(rate.denominator), row["bound_denominator_MBps"]) << name;
    expect_us(bandwidth.time, row["bandwidth_bound_us"], name);
    expect_us(bounds.find(BoundKind::latency)->time, row["latency_bound_us"], name);
    expect_us(bounds.lower, row["lower_bound_us"], name);
    expect_us(bounds.find(BoundKind::slots)->time, row["slot_bound_us"], name);
    EXPECT_LE(bounds.flows, p.size() + 1) << name;
  }
}

// Two boxes of eight V100, for which TE-CCL publishes schedules.
TEST(SynthesisCorpusTest, BoundsOfTwoBoxesOfV100) {
  REQUIRE_CORPUS();
  const SynthesisProblem p =
      corpus::synthesis_problem(corpus::synthesis_network("ndv2_2"), Collective::all_gather, 62'500);
  const Bounds bounds = find_bounds(p);
  EXPECT_EQ(us_per_byte(p.graph, bounds.find(BoundKind::bandwidth)->crossings.front()), (Fraction{2, 3125}));
  expect_us(bounds.lower, "41.300", "ndv2_2");
}

TEST(SynthesisCorpusTest, BoundsOfAllReducesAreThoseOfTheTable) {
  REQUIRE_CORPUS();
  for (Row& row : table_rows("all_reduce_bounds_1MiB.tsv")) {
    const std::string& name = row["topology"];
    const SynthesisProblem p =
        corpus::synthesis_problem(corpus::synthesis_network(name), Collective::all_reduce, mebibyte);
    const Bounds bounds = find_bounds(p);
    const Bound& two_phase = *bounds.find(BoundKind::two_phase);
    const Bound& cut = *bounds.find(BoundKind::cut);
    const Bound& traffic = *bounds.find(BoundKind::traffic);
    expect_us(two_phase.time, row["reduce_scatter_plus_all_gather_us"], name);
    expect_us(cut.time, row["cut_bound_us"], name);
    expect_us(traffic.time, row["traffic_bound_us"], name);
    const double gain = static_cast<double>(two_phase.time) / static_cast<double>(std::max(cut.time, traffic.time));
    EXPECT_NEAR(gain, std::stod(row["gain_at_most"]), 0.000501) << name;
    EXPECT_GE(bounds.lower, std::max(cut.time, traffic.time)) << name;
  }
}

TEST(SynthesisCorpusTest, BoundsOfAllToAllsReachThoseOfTheTable) {
  REQUIRE_CORPUS();
  for (Row& row : corpus::read_table(corpus::synthesis_folder() / "all_to_all_64KiB.tsv")) {
    const std::string& name = row["topology"];
    const SynthesisProblem p =
        corpus::synthesis_problem(corpus::synthesis_network(name), Collective::all_to_all, 64 << 10);
    const Bounds bounds = find_bounds(p);
    const double us = static_cast<double>(bounds.find(BoundKind::bandwidth)->time) * 1e-6;
    EXPECT_GE(us, 0.999 * std::stod(row["dual_bound_us"])) << name;
    EXPECT_LE(us, std::stod(row["fractional_us"]) + 0.0005) << name;
    // Known schedules take at least as long, except for a rounding per hop.
    EXPECT_LE(bounds.lower, static_cast<Picoseconds>(std::stod(row["time_us"]) * 1e6 + 600)) << name;
  }
}

// Each known schedule takes at least as long as the bound of its collective.
TEST(SynthesisCorpusTest, NoScheduleIsFasterThanItsBound) {
  REQUIRE_CORPUS();
  const auto lower_bound = [](const std::string& name, std::int64_t bytes) {
    return find_bounds(corpus::synthesis_problem(corpus::synthesis_network(name), Collective::all_gather, bytes))
        .lower;
  };
  for (const auto& [file, bytes] :
       {std::pair{"all_gather_1KiB.tsv", std::int64_t{1} << 10}, {"all_gather_1MiB.tsv", mebibyte}}) {
    for (Row& row : corpus::read_table(corpus::synthesis_folder() / file)) {
      const std::string& name = row["topology"];
      if (test::sanitized && name.find("32x32") != std::string::npos) continue;
      const Picoseconds lower = lower_bound(name, bytes);
      expect_us(lower, row["lower_bound_us"], name);
      if (row["beta_us"] == "-") continue;
      EXPECT_LE(static_cast<double>(lower) * 1e-6, std::stod(row["beta_us"]) + 0.0005) << name;
    }
  }
  for (Row& row : corpus::read_table(corpus::synthesis_folder() / "all_gather_16MiB.tsv")) {
    const double us = static_cast<double>(lower_bound(row["topology"], 16 * mebibyte)) * 1e-6;
    EXPECT_NEAR(std::stod(row["time_us"]) / us, std::stod(row["over_bound"]), 0.0001) << row["topology"];
  }
  for (Row& row : corpus::read_table(corpus::synthesis_folder() / "broadcast_64MiB.tsv")) {
    const std::string& name = row["topology"];
    Diagnostics diagnostics;
    const SynthesisProblem p =
        make_problem(corpus::synthesis_network(name).config,
                     {.collective = Collective::broadcast, .bytes = 64 * mebibyte}, diagnostics);
    const double over = std::stod(row["time_us"]) / (static_cast<double>(find_bounds(p).lower) * 1e-6);
    EXPECT_NEAR(over, std::stod(row["over_bound"]), 0.003) << name;
    EXPECT_GE(over, 1) << name;
  }
}

}  // namespace
