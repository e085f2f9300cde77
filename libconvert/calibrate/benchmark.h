// SPDX-License-Identifier: MIT
// Measured times of collective calls, as benchmarks print them: input of a calibration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/collective.h"

namespace convert {

// A measured call. Bytes are counted as in nccl-tests: an all_gather's output of a rank, otherwise a rank's input.
struct BenchmarkPoint {
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 0;
  std::optional<std::uint32_t> nodes{};  // that have at least one of the ranks; nothing if not stated
  std::int64_t bytes = 0;
  double time_ns = 0;  // out of place, or the only time
  std::optional<double> in_place_ns{};
  std::string set{};       // of the benchmark; empty: the file's name
  std::string machine{};   // as the benchmark names it; empty: not stated
  std::uint32_t run = 0;   // number of the run in the file: each run has curves of its own
  std::uint32_t line = 0;  // in the file; 0: unknown
};

struct Benchmark {
  std::string file{};
  std::vector<BenchmarkPoint> points{};
  std::string gpu{};         // name of the GPU, for messages; empty: not stated
  bool has_harness = false;  // times include host time of the tool that measured
};

}  // namespace convert
