// SPDX-License-Identifier: MIT
// Synthesized algorithm for a network, validated and compared with its lower bound.
#pragma once

#include <functional>
#include <string>

#include "core/diagnostic.h"
#include "sets/schedules.h"
#include "synthesis/portfolio.h"

namespace convert {

struct SynthesizedAlgorithm {
  CheckedSchedule made;  // the schedule, and the algorithm made from it
  std::string bounds;    // "all_gather, 8 NPUs, 1 MiB each: 73.9 us at least (…)"
  std::string method;    // of the best candidate
  Bounds limits{};
  Picoseconds total = 0;
  bool stopped = false;  // by SynthesisChoice::until

  // Returns the bounds, then "; 73.9 us found, 1.000 of the bound, greedy, 1 piece".
  [[nodiscard]] std::string summary() const;
  // Sets the time, and bounds that do not exceed it; `messages`: number on the busiest link. Throws Error as
  // allow_rounding() does.
  void set_time(const SynthesisProblem& problem, Picoseconds time, std::size_t messages);
};

// Returns the duration of an algorithm.
using AlgorithmJudge = std::function<Picoseconds(const Algorithm&)>;

// Returns the fastest algorithm found. If devices cut through, `judge`, if given, determines times, because some
// depend on the order of simultaneous events; the schedule then has the store-and-forward times of its order.
// Throws Error as synthesize() and judge do, and if the validated schedule breaks a rule of schedules.
[[nodiscard]] SynthesizedAlgorithm synthesize_algorithm(const SynthesisProblem& problem,
                                                        const SynthesisChoice& choice, Diagnostics& diagnostics,
                                                        const AlgorithmJudge& judge = {});

}  // namespace convert
