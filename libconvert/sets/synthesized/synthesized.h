// SPDX-License-Identifier: MIT
// Makes an algorithm for a network: synthesized, checked, and with the bound that it is measured by.
#pragma once

#include <functional>
#include <string>

#include "core/diagnostic.h"
#include "sets/schedules.h"
#include "synthesis/portfolio.h"

namespace convert {

struct SynthesizedAlgorithm {
  CheckedSchedule made;  // the schedule, and the algorithm that follows it
  std::string bounds;    // "all_gather, 8 NPUs, 1 MiB each: 73.9 us at least (…)"
  std::string method;    // of the best candidate
  Bounds limits{};
  Picoseconds total = 0;
  bool stopped = false;  // by SynthesisChoice::until

  // Returns the bounds, then "; 73.9 us found, 1.000 of the bound, greedy, 1 piece".
  [[nodiscard]] std::string summary() const;
  // Sets the time, and bounds that do not exceed it; `messages`: of the busiest link. Throws Error as
  // allow_rounding() does.
  void set_time(const SynthesisProblem& problem, Picoseconds time, std::size_t messages);
};

// Returns how long an algorithm takes.
using AlgorithmJudge = std::function<Picoseconds(const Algorithm&)>;

// Returns the fastest algorithm that is found. Where devices cut through, `judge`, if given, has the last word on
// times, as some depend there on what happens first of what happens at once; the schedule has the times that its
// order takes where they store. Throws Error as synthesize() and judge do, and if the schedule breaks a rule of
// schedules, which it is checked against.
[[nodiscard]] SynthesizedAlgorithm synthesize_algorithm(const SynthesisProblem& problem,
                                                        const SynthesisChoice& choice, Diagnostics& diagnostics,
                                                        const AlgorithmJudge& judge = {});

}  // namespace convert
