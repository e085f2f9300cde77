// SPDX-License-Identifier: MIT
// Points of benchmarks that a calibration uses, each with the time that counts.
#pragma once

#include <vector>

#include "calibrate/benchmark.h"
#include "core/diagnostic.h"

namespace convert {

// Returns the time of a point: out of place, or the smaller one if both times differ by more than 20 %.
[[nodiscard]] double counting_time(const BenchmarkPoint& point);

// Returns the usable points, with one time each and no in_place_ns:
// - The time of a point is the time out of place, or the smaller one if both times differ by more than 20 %.
// - Points below 1 KiB, and of one rank, are omitted.
// - A point more than three times above the line between its neighbours, in logarithms of size and time, is omitted
//   with a warning. Neighbours are the next smaller and the next larger size of its curve: the points of a set,
//   machine, run, collective, and number of ranks and nodes.
[[nodiscard]] std::vector<BenchmarkPoint> usable_points(const Benchmark& benchmark, Diagnostics& diagnostics);

}  // namespace convert
