// SPDX-License-Identifier: MIT
// Common times for the moves of several collectives on the links that they share.
#pragma once

#include <span>
#include <vector>

#include "synthesis/together/problem.h"

namespace convert {

// The moves of all collectives as one. Devices are numbered as in each placed problem, so only chunks and links
// have a common meaning.
struct JointMoves {
  struct Part {
    Range pieces{};
    Range moves{};
    Range links{};
    Range parents{};
  };
  Moves all{};
  std::vector<Part> parts{};  // by collective
};
[[nodiscard]] JointMoves put_together(const JointProblem& problem, std::vector<Moves> of_each);

// Returns the fastest schedule that list scheduling finds, in integer picoseconds: by the usual orders (`rank`: by
// chunk) and by each of `starts` (preferred times, by position in Moves::links), improved.
[[nodiscard]] TimedMoves common_times(const JointProblem& problem, const JointMoves& joint,
                                      std::span<const std::vector<double>> starts,
                                      std::span<const double> rank = {});

// Returns the moves of each collective, with the time at which it has ended.
[[nodiscard]] std::vector<TimedMoves> taken_apart(const JointProblem& problem, const JointMoves& joint,
                                                  const TimedMoves& made);

}  // namespace convert
