// SPDX-License-Identifier: MIT
// Logs of benchmarks of collectives, of every kind.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "calibrate/points.h"
#include "calibrate/read/read.h"
#include "core/diagnostic.h"
#include "fuzzer.h"
#include "trace_fuzzing.h"

namespace {

using namespace convert;

bool is_time(double ns) { return std::isfinite(ns) && ns > 0; }

void check_point(const BenchmarkPoint& point) {
  fuzzing::check(is_time(point.time_ns), "a time is positive");
  fuzzing::check(!point.in_place_ns || is_time(*point.in_place_ns), "a time in place is positive");
  fuzzing::check(point.bytes > 0, "a size is positive");
  fuzzing::check(point.ranks >= 1 && point.ranks <= 1U << 20U, "ranks are in range");
  fuzzing::check(!point.nodes || (*point.nodes >= 1 && *point.nodes <= point.ranks), "each node has a rank");
}

}  // namespace

FUZZER(benchmark) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool is_strict : {true, false}) {
    BenchmarkReadOptions options;
    if (!is_strict) {
      options = {.collective = Collective::all_gather, .ranks = 8, .allow_programs = true};
      const std::size_t key = text.find("key: \"");  // the first machine of a table
      if (key != std::string_view::npos) {
        const std::string_view rest = text.substr(key + 6);
        options.xla_key = rest.substr(0, rest.find('"'));
      }
    }
    fuzzing::may_refuse([&] {
      Diagnostics diagnostics;
      const Benchmark benchmark = read_benchmark("fuzz.log", text, options, diagnostics);
      fuzzing::check(!benchmark.points.empty(), "a benchmark has a point");
      for (const BenchmarkPoint& point : benchmark.points) check_point(point);
      for (const BenchmarkPoint& point : usable_points(benchmark, diagnostics)) check_point(point);
    });
  }
  return 0;
}
