// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "calibrate/errors.h"

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

// Fits with the weights of a calibration (fit.cpp), by coordinates, from three starts.
AlphaBeta fit_alpha_beta(const Curves& curves, double port_bytes_per_ns) {
  constexpr std::array<double, 3> weights = {1, 2, 4}, log_starts = {2, 3.5, 5};  // of a time in µs
  constexpr std::array<double, 5> steps = {0.7, 0.3, 0.1, 0.03, 0.01};
  constexpr double us = 1000;
  constexpr int most_sweeps = 80;
  const auto model = [](const std::array<double, 3>& logs) {
    return AlphaBeta{std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2])};
  };
  const auto loss = [&](const std::array<double, 3>& logs) {
    double sum = 0;
    for (const BenchmarkCurve* c : curves) {
      double errors = 0, weight = 0;
      for (std::size_t i = 0; i < c->bytes.size(); ++i) {
        const double w = weights.at(size_band(c->bytes[i]));
        errors += w * std::abs(std::log(model(logs).at(c->collective, c->ranks, c->bytes[i]) / c->times_ns[i]));
        weight += w;
      }
      sum += errors / weight;
    }
    return sum / static_cast<double>(curves.size());
  };
  std::pair<double, std::array<double, 3>> best{INFINITY, {}};
  for (const double log_start : log_starts) {
    std::array<double, 3> at = {log_start + std::log(us), std::log(us), std::log(port_bytes_per_ns / 2)};
    double least = loss(at);
    for (const double step : steps) {
      for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const double before = least;
        for (double& log : at) {
          for (const double move : {step, -step}) {
            const double old = log;
            log += move;
            const double moved = loss(at);
            if (moved < least - 1e-9) {
              least = moved;
            } else {
              log = old;
            }
          }
        }
        if (before - least < 1e-6) break;
      }
    }
    if (least < best.first) best = {least, at};
  }
  return model(best.second);
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
