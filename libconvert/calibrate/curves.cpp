// SPDX-License-Identifier: MIT
#include "calibrate/curves.h"

#include <array>

#include "core/units.h"

namespace convert {

std::string BenchmarkCurve::title() const {
  return set + ": " + std::string(name(collective)) + " of " + std::to_string(ranks) + " ranks" +
         (nodes > 1 ? " on " + std::to_string(nodes) + " nodes" : "") +
         (!forced                       ? ""
          : *forced == CallMethod::ring ? ", rings"
                                        : ", trees");
}

double fit_weight(double bytes) {
  constexpr std::array<double, 3> by_band = {1, 2, 4};  // inverse of the aims 20, 10 and 5 %
  return by_band.at(size_band(bytes));
}

std::string harness_key(const BenchmarkCurve& curve) {
  return curve.set + (curve.collective == Collective::all_to_all ? "/messages" : "");
}

double harness_ns(const Machine& machine, const BenchmarkCurve& curve) {
  const auto found = machine.harness_ns.find(harness_key(curve));
  return found == machine.harness_ns.end() ? 0 : found->second;
}

void formula_times(const Machine& machine, const BenchmarkCurve& curve, std::vector<double>& times_ns) {
  times_ns.resize(curve.bytes.size());
  call_times(machine, curve.call(), curve.forced, curve.bytes, times_ns);
}

std::vector<MeasuredCall> table_of(const Machine& machine, std::span<const BenchmarkCurve> curves) {
  constexpr double most_harness = 0.25;  // of the time
  std::vector<MeasuredCall> rows;
  std::vector<double> model;
  for (const BenchmarkCurve& c : curves) {
    const double harness = harness_ns(machine, c);
    if (c.forced) continue;
    formula_times(machine, c, model);
    for (std::size_t i = 0; i < c.bytes.size(); ++i) {
      if (harness > most_harness * model[i] || c.times_ns[i] <= harness) continue;
      rows.push_back(
          {c.collective, c.ranks, c.nodes, static_cast<std::int64_t>(c.bytes[i]), c.times_ns[i] - harness});
    }
  }
  return rows;
}

}  // namespace convert
