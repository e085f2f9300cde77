// SPDX-License-Identifier: MIT
// Synthesizes algorithms for several collectives that run at the same time. Each has its own algorithm, and all
// share the links of one network, on which their messages are ordered.
#pragma once

#include <string>
#include <vector>

#include "synthesis/moves.h"
#include "synthesis/portfolio.h"
#include "synthesis/together/joint_bounds.h"
#include "synthesis/together/problem.h"

namespace convert {

struct JointResult {
  JointBounds bounds{};
  std::vector<TimedMoves> made{};    // by collective: with the devices of its placed problem, and common times
  std::vector<Picoseconds> alone{};  // by collective: time of the best algorithm found for it alone
  Picoseconds total = 0;             // until all have ended
  std::string method{};
  bool stopped = false;  // by SynthesisChoice::until
};

// Returns the best result found, with common times. The candidates are each collective's own algorithm, its
// algorithm restricted to links without NPUs of others, and algorithms whose trees and routes are packed together.
// The result is the same for any `jobs`. Throws Error as synthesize() does, with the collective's name.
[[nodiscard]] JointResult synthesize_together(const JointProblem& problem, const SynthesisChoice& choice);

}  // namespace convert
