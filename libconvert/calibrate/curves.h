// SPDX-License-Identifier: MIT
// Measured calls as curves of time over size: what a calibration fits, and what it is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/call_time.h"
#include "machine/machine.h"

namespace convert {

// Calls of one collective and one group, measured in one run. Bytes are counted as in MeasuredCall, ascending.
struct BenchmarkCurve {
  std::string set{};
  std::string machine{};  // as the benchmark names it
  std::uint32_t run = 0;
  Collective collective = Collective::all_reduce;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::optional<CallMethod> forced{};  // the algorithm was set for the run; else the library chose
  std::vector<double> bytes{};
  std::vector<double> times_ns{};

  [[nodiscard]] MachineCall call(double of_bytes = 0) const { return {collective, ranks, nodes, of_bytes}; }
  // Returns "SET: COLLECTIVE of N ranks", with the number of nodes if there are several.
  [[nodiscard]] std::string title() const;
};
using BenchmarkCurves = std::vector<BenchmarkCurve>;

// Sets the times of all sizes of a curve by a machine's formulas, without the harness.
void formula_times(const Machine& machine, const BenchmarkCurve& curve, std::vector<double>& times_ns);

// Returns the weight of a call in a fit: larger calls are predicted better, and count more.
[[nodiscard]] double fit_weight(double bytes);

// Returns the time that the tool that measured a set adds to a call on a machine (Machine::harness_ns).
[[nodiscard]] double harness_ns(const Machine& machine, const BenchmarkCurve& curve);
// Returns the key of Machine::harness_ns for a curve: the set, with "/messages" for an all_to_all.
[[nodiscard]] std::string harness_key(const BenchmarkCurve& curve);

// Returns the calls of the curves as rows of a machine's table: less the time of the harness, without calls for
// which the harness is more than a quarter of the time by the formulas, and without curves of a forced algorithm.
[[nodiscard]] std::vector<MeasuredCall> table_of(const Machine& machine, std::span<const BenchmarkCurve> curves);

}  // namespace convert
