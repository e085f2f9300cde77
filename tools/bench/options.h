// SPDX-License-Identifier: MIT
// Options of et-bench, and their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "scenario/bench/call_bench.h"

namespace tools {

struct BenchOptions {
  std::vector<std::string> collectives;
  std::vector<std::string> networks;
  std::vector<std::string> algorithms;
  std::vector<std::string> set;     // KEY=VALUE
  std::vector<std::int64_t> sizes;  // instead of min, max and factor
  std::optional<std::int64_t> min;  // bytes
  std::optional<std::int64_t> max;  // bytes
  std::optional<std::int64_t> factor;
  std::optional<std::int64_t> npus;
  std::optional<std::string> plot;
  std::optional<std::string> format;
};
void declare_bench(App& app, BenchOptions& o);

// A series to measure. An algorithm of `--algorithm all` that the network or the number of NPUs does not permit is
// omitted.
struct PlannedSeries {
  convert::BenchRequest request;
  bool optional = false;
};
// Returns the series that the options choose: by collective, then network, then algorithm. Throws Error(usage).
[[nodiscard]] std::vector<PlannedSeries> planned_series(const BenchOptions& o);

// Returns the sizes of the calls in bytes, before they are rounded, ascending.
[[nodiscard]] std::vector<std::int64_t> sizes_to_bench(const BenchOptions& o);

}  // namespace tools
