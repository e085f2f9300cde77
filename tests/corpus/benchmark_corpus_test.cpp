// SPDX-License-Identifier: MIT
// Logs of benchmarks in the corpus, and its points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/points.h"
#include "calibrate/read/read.h"
#include "common/error_text.h"
#include "common/testdata.h"
#include "corpus.h"

namespace {

using namespace convert;

Benchmark read_corpus_log(const std::filesystem::path& path, Diagnostics& diagnostics) {
  return read_benchmark(path.filename().string(), test::file_bytes(path), {.allow_programs = true}, diagnostics);
}

// Returns the line of expected.txt for a point.
std::string expected_line(const Benchmark& benchmark, const BenchmarkPoint& p) {
  const auto us = [](double ns) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.2f", ns / 1000);
    return std::string(text.data());
  };
  const std::string gpu = !benchmark.gpu.empty() ? benchmark.gpu : p.set;
  return benchmark.file + "," + std::string(name(p.collective)) + "," + std::to_string(p.ranks) + "," +
         (p.nodes ? std::to_string(*p.nodes) : "?") + "," + std::to_string(p.bytes) + "," + us(p.time_ns) + "," +
         (p.in_place_ns ? us(*p.in_place_ns) : "-") + "," + (gpu.empty() ? "-" : gpu);
}

TEST(BenchmarkCorpus, Logs) {
  REQUIRE_CORPUS();
  const auto folder = corpus::root() / "machines" / "logs";
  std::map<std::string, std::vector<std::string>> expected;  // lines by file
  std::ifstream lines(folder / "expected.txt");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("error:")) expected[line.substr(0, line.find(','))].push_back(line);
  }
  EXPECT_EQ(expected.size(), 11U);
  for (const auto& [file, rows] : expected) {
    Diagnostics diagnostics;
    const Benchmark benchmark = read_corpus_log(folder / file, diagnostics);
    std::vector<std::string> found;
    for (const BenchmarkPoint& point : benchmark.points) found.push_back(expected_line(benchmark, point));
    EXPECT_EQ(found, rows);
    const bool infers = file == "okay-no-devices.txt";  // the ranks, from busbw / algbw
    EXPECT_EQ(diagnostics.all().size(), infers ? 1U : 0U) << file;
  }
}

TEST(BenchmarkCorpus, RefusedLogs) {
  REQUIRE_CORPUS();
  const auto refusal = [](const std::string& file) {
    Diagnostics diagnostics;
    return test::error_text(
        [&] { (void)read_corpus_log(corpus::root() / "machines" / "logs" / file, diagnostics); });
  };
  EXPECT_EQ(refusal("bad-empty.txt"), "bad-empty.txt: no measurement; a row of a table states size and time");
  EXPECT_EQ(refusal("bad-no-collective.txt"),
            "bad-no-collective.txt:22: the collective is not stated; give collective=NAME, or add the line \"# "
            "Collective test starting: NAME_perf\" before the table");
  EXPECT_EQ(refusal("bad-no-ranks.txt"),
            "bad-no-ranks.txt:6: the number of ranks is not stated, and no device is listed; give ranks=N");
  EXPECT_EQ(refusal("bad-wrong-values.txt"),
            "bad-wrong-values.txt:29: the run found wrong values: 3 FAILED; measure again");
}

// The prototype (data.py) uses the same points.
TEST(BenchmarkCorpus, GivenPoints) {
  REQUIRE_CORPUS();
  Diagnostics diagnostics;
  const Benchmark benchmark = read_corpus_log(corpus::root() / "machines" / "given.csv", diagnostics);
  std::vector<double> expected;
  for (const auto& row : corpus::read_table(corpus::root() / "machines" / "given.csv", ',')) {
    if (row.at("collective").starts_with("moe_") || std::stoll(row.at("bytes")) < 1024) continue;
    const double first = std::stod(row.at("us"));
    const double second = row.at("us2").empty() ? first : std::stod(row.at("us2"));
    const bool differ = std::max(first, second) > 1.2 * std::min(first, second);
    expected.push_back(1000 * (differ ? std::min(first, second) : first));
  }
  std::vector<double> found;
  for (const BenchmarkPoint& point : usable_points(benchmark, diagnostics)) found.push_back(point.time_ns);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]) << i;
  EXPECT_EQ(diagnostics.warnings(), 2U);  // of calls that are not collectives
}

}  // namespace
