// SPDX-License-Identifier: MIT
// Synthesizes algorithms for several collectives that run at the same time: each has its own, and all share the
// links of one network, on which their messages take turns.
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
  std::vector<Picoseconds> alone{};  // by collective: how long the best found for it by itself takes
  Picoseconds total = 0;             // until all have ended
  std::string method{};
  bool stopped = false;  // by SynthesisChoice::until
};

// Returns the best of what is found: each collective's own algorithm, also that over links which no others' NPUs
// are on, and algorithms whose trees and ways are chosen with regard to each other; all with common times. The same
// for any `jobs`. Throws Error as synthesize() does, with the collective's name.
[[nodiscard]] JointResult synthesize_together(const JointProblem& problem, const SynthesisChoice& choice);

}  // namespace convert
