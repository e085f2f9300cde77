// SPDX-License-Identifier: MIT
// A deterministic pattern search for the least value of a function of several variables.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace convert {

inline constexpr int search_starts = 4;  // of a fit; the best counts

struct SearchVariable {
  double low = 0, high = 0;
  double start = 0;
};

// Returns the variables at the least value found. Start 0 is `start` of the variables; others are spread around it
// by the golden ratio. Moves a variable, or two neighbours, by steps from 0.7 down to 0.01. `value` is called with
// all variables, within their bounds.
template <class Value>
std::vector<double> pattern_search(std::span<const SearchVariable> variables, int start, const Value& value) {
  constexpr std::array<double, 7> steps = {0.7, 0.35, 0.17, 0.08, 0.04, 0.02, 0.01};
  constexpr int most_sweeps = 60;  // of a step
  constexpr double least_gain = 1e-9, least_sweep = 1e-5;
  constexpr double golden = 0.6180339887, spread = 1.4;
  const std::size_t n = variables.size();
  std::vector<double> at(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = golden * start * static_cast<double>(i + 1);
    const double shift = start == 0 ? 0 : turn - std::floor(turn) - 0.5;
    at[i] = std::clamp(variables[i].start + spread * shift, variables[i].low, variables[i].high);
  }
  double least = value(std::span<const double>(at));
  const auto clamped = [&](std::size_t i, double x) { return std::clamp(x, variables[i].low, variables[i].high); };
  // Moves the variable i by a, and the next one by b.
  const auto move = [&](std::size_t i, double a, double b) {
    const bool two = b != 0;
    const double before = at[i], next = two ? at[i + 1] : 0;
    at[i] = clamped(i, before + a);
    if (two) at[i + 1] = clamped(i + 1, next + b);
    if (at[i] == before && (!two || at[i + 1] == next)) return;
    const double moved = value(std::span<const double>(at));
    if (moved < least - least_gain) {
      least = moved;
      return;
    }
    at[i] = before;
    if (two) at[i + 1] = next;
  };
  for (const double step : steps) {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const double before = least;
      for (const double a : {step, -step})
        for (std::size_t i = 0; i < n; ++i) move(i, a, 0);
      for (std::size_t i = 0; i + 1 < n; ++i)
        for (const double a : {step, -step})
          for (const double b : {step, -step}) move(i, a, b);
      if (before - least < least_sweep) break;
    }
  }
  return at;
}

}  // namespace convert
