// SPDX-License-Identifier: MIT
// Benchmarks as text to compare.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/read/read.h"
#include "common/expect_error.h"
#include "common/testdata.h"
#include "core/diagnostic.h"

namespace convert::test {

// Returns "all_reduce,16,2,1048576,71.93,71.47": collective, ranks, nodes, bytes, times in microseconds.
inline std::string text_of(const BenchmarkPoint& p) {
  std::ostringstream out;
  out << name(p.collective) << ',' << p.ranks << ',' << (p.nodes ? std::to_string(*p.nodes) : "?") << ',' << p.bytes
      << ',' << p.time_ns / 1000 << ',';
  if (p.in_place_ns) {
    out << *p.in_place_ns / 1000;
  } else {
    out << '-';
  }
  return out.str();
}

inline std::vector<std::string> points_of(const Benchmark& benchmark) {
  std::vector<std::string> points;
  for (const BenchmarkPoint& point : benchmark.points) points.push_back(text_of(point));
  return points;
}

struct ReadLog {
  Benchmark benchmark{};
  std::vector<std::string> points{};
  std::vector<std::string> warnings{};  // "FILE:LINE: message"
};
inline ReadLog read_log(std::string_view text, const BenchmarkReadOptions& options = {}) {
  Diagnostics diagnostics;
  ReadLog log{.benchmark = read_benchmark("log", text, options, diagnostics)};
  log.points = points_of(log.benchmark);
  for (const Diagnostic& d : diagnostics.all()) log.warnings.push_back(format_location(d.where) + ": " + d.message);
  return log;
}
inline ReadLog read_sample(const std::string& name, const BenchmarkReadOptions& options = {}) {
  return read_log(file_bytes(testdata("benchmarks") / name), options);
}
// Returns "log:LINE: message".
inline std::string log_refusal(std::string_view text, const BenchmarkReadOptions& options = {}) {
  return error_text([&] { (void)read_log(text, options); }, "benchmark");
}
inline std::string sample_refusal(const std::string& name, const BenchmarkReadOptions& options = {}) {
  return log_refusal(file_bytes(testdata("benchmarks") / name), options);
}

}  // namespace convert::test
