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
  std::vector<std::string> against;  // logs of benchmarks
  std::optional<std::string> plot;
  std::optional<std::string> format;
};
void declare_bench(App& app, BenchOptions& o);
// Throws Error(usage) for options that cannot be combined.
void check_bench(const BenchOptions& o);

// A series to time. An algorithm of `--algorithm all` that the network or the number of NPUs does not permit is
// omitted.
struct PlannedSeries {
  convert::BenchRequest request;
  bool optional = false;
  std::vector<std::int64_t> bytes{};             // of the calls, ascending
  std::string benchmark{};                       // that measured the calls; empty: nothing is measured
  std::vector<convert::Picoseconds> measured{};  // by call
};
// Returns the series that the options choose: by collective, then network, then algorithm. Throws Error(usage).
[[nodiscard]] std::vector<PlannedSeries> planned_series(const BenchOptions& o);
// Returns the collectives that the options name. Throws Error(usage) for others.
[[nodiscard]] std::vector<convert::Collective> collectives_of(const BenchOptions& o);
// Returns the series of a collective, for all networks and algorithms that the options choose, without calls.
[[nodiscard]] std::vector<PlannedSeries> series_of(const BenchOptions& o, convert::Collective collective);

}  // namespace tools
