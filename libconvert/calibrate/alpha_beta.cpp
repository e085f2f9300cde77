// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "calibrate/errors.h"
#include "calibrate/pattern_search.h"

namespace convert {
namespace {

// Time = start + steps × step + bytes of the busiest link / bandwidth.
struct AlphaBeta {
  double start_ns, step_ns, bytes_per_ns;
  [[nodiscard]] double at(Collective collective, std::uint32_t ranks, double bytes) const {
    const double n = ranks;
    const double steps = collective == Collective::all_reduce ? 2 * (n - 1)
                         : collective == Collective::send     ? 1
                                                              : n - 1;
    const double factor = collective == Collective::send ? 1 : bus_bandwidth_factor(collective, ranks);
    return start_ns + step_ns * steps + factor * bytes / bytes_per_ns;
  }
};

using Curves = std::vector<const BenchmarkCurve*>;

// Fits with the weights of a calibration, from its starts.
AlphaBeta fit_alpha_beta(const Curves& curves, double port_bytes_per_ns) {
  constexpr double us = 1000, start = 30 * us, step = us, wide = 20;  // bounds that no fit reaches
  const auto model = [](std::span<const double> logs) {
    return AlphaBeta{std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2])};
  };
  const auto loss = [&](std::span<const double> logs) {
    const AlphaBeta line = model(logs);
    double sum = 0;
    for (const BenchmarkCurve* c : curves) {
      double errors = 0, weight = 0;
      for (std::size_t i = 0; i < c->bytes.size(); ++i) {
        const double w = fit_weight(c->bytes[i]);
        errors += w * std::abs(std::log(line.at(c->collective, c->ranks, c->bytes[i]) / c->times_ns[i]));
        weight += w;
      }
      sum += errors / weight;
    }
    return sum / static_cast<double>(curves.size());
  };
  std::array<SearchVariable, 3> variables;
  const std::array<double, 3> middle = {std::log(start), std::log(step), std::log(port_bytes_per_ns / 2)};
  for (std::size_t i = 0; i < variables.size(); ++i)
    variables.at(i) = {middle.at(i) - wide, middle.at(i) + wide, middle.at(i)};
  std::vector<double> best;
  for (int start_number = 0; start_number < search_starts; ++start_number) {
    std::vector<double> found = pattern_search(std::span<const SearchVariable>(variables), start_number, loss);
    if (best.empty() || loss(found) < loss(best)) best = std::move(found);
  }
  return model(best);
}

}  // namespace

BandErrors errors_of_alpha_beta(const Machine& machine, std::span<const BenchmarkCurve> curves) {
  using Family = std::pair<Collective, bool>;  // over several nodes
  std::map<Family, Curves> families;
  for (const BenchmarkCurve& c : curves)
    if (!c.bytes.empty()) families[{c.collective, c.nodes > 1}].push_back(&c);
  std::map<Family, AlphaBeta> fitted;
  for (const auto& [family, all] : families) fitted[family] = fit_alpha_beta(all, machine.node.port_bytes_per_ns);
  return errors_of(curves, [&](const BenchmarkCurve& c, double bytes) {
    return fitted.at({c.collective, c.nodes > 1}).at(c.collective, c.ranks, bytes);
  });
}

}  // namespace convert
