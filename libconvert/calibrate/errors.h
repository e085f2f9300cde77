// SPDX-License-Identifier: MIT
// Errors of predicted times against measured ones, by band of sizes.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/curves.h"
#include "machine/machine.h"

namespace convert {

// Mean of |predicted / measured - 1| of each band.
class BandErrors {
 public:
  void add(double bytes, double predicted_ns, double measured_ns);
  void add(const BandErrors& other);
  [[nodiscard]] std::size_t count() const { return counts_[0] + counts_[1] + counts_[2]; }
  [[nodiscard]] std::size_t count(std::size_t band) const { return counts_.at(band); }
  // Returns the mean errors in percent.
  [[nodiscard]] ErrorByBand percent() const;

 private:
  std::array<double, 3> sums_{};
  std::array<std::size_t, 3> counts_{};
};

// Predicts the time in ns of a call, with what the harness of the curve's set adds.
using Predict = std::function<double(const BenchmarkCurve& curve, double bytes)>;
[[nodiscard]] BandErrors errors_of(std::span<const BenchmarkCurve> curves, const Predict& predict);

// Errors of a machine's formulas alone.
[[nodiscard]] BandErrors errors_of_formulas(const Machine& machine, std::span<const BenchmarkCurve> curves);
// Errors of sizes that the tables lack: every second size is predicted from tables of the others, both ways.
[[nodiscard]] BandErrors errors_between_sizes(const Machine& machine, std::span<const BenchmarkCurve> curves);
// Errors of groups that the tables lack: each number of ranks of a collective is predicted from tables of the
// others.
[[nodiscard]] BandErrors errors_between_groups(const Machine& machine, std::span<const BenchmarkCurve> curves);
// Errors of a latency, a time for each step and a bandwidth for each collective, fitted to the same curves.
[[nodiscard]] BandErrors errors_of_alpha_beta(const Machine& machine, std::span<const BenchmarkCurve> curves);

}  // namespace convert
