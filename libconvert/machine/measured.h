// SPDX-License-Identifier: MIT
// Measured calls of a machine, which correct the formulas of call_time.h (specification: et-machines(5)).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/call_time.h"
#include "machine/machine.h"

namespace convert {

// Origin of a call's time.
// - measured: a curve of this group has the size
// - between: interpolated between the curves of two numbers of ranks
// - beyond: past the sizes, ranks or nodes that were measured
// - model: the formulas alone
// - rescaled: the formulas alone, with other hardware than measured
enum class CallSource : std::uint8_t { measured, between, beyond, model, rescaled };
[[nodiscard]] std::string_view name(CallSource source);

// Returns a text about the first group of each collective whose measured time of 1 MiB or more differs from the
// formulas by more than a factor of three.
[[nodiscard]] std::vector<std::string> far_from_formulas(const Machine& machine);

class MeasuredCurves {
 public:
  // `machine` must outlive this.
  MeasuredCurves(const Machine& machine, std::span<const MeasuredCall> calls);

  struct Correction {
    double log_factor = 0;  // natural logarithm of the factor of the formulas' time
    CallSource source = CallSource::model;
  };
  // Returns the correction of a call whose time by the formulas is `time_ns`.
  [[nodiscard]] Correction at(const MachineCall& call, double time_ns) const;

 private:
  struct Curve {
    std::uint32_t nodes = 0;
    std::vector<double> x{};  // ln(bytes / ranks), ascending
    std::vector<double> y{};  // ln(measured time / time by the formulas)
    [[nodiscard]] double at(double log_bytes) const;
    [[nodiscard]] bool covers(double log_bytes) const;  // within a factor of two of its ends
  };
  // Curves of a collective within one node, or over several, by ranks; of one number of ranks by nodes.
  using Family = std::map<std::uint32_t, std::vector<Curve>>;
  // Returns the curve of the nearest number of nodes.
  [[nodiscard]] static const Curve& nearest(const std::vector<Curve>& curves, std::uint32_t nodes);

  const Machine& machine_;
  std::map<std::pair<Collective, bool>, Family> families_;
};

}  // namespace convert
