// SPDX-License-Identifier: MIT
// Gives the moves of several collectives their times on the links that they share.
#pragma once

#include <span>
#include <vector>

#include "synthesis/together/problem.h"

namespace convert {

// The moves of all collectives as those of one. Devices are those of each placed problem, so only pieces and links
// mean anything to all of them.
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

// Returns the fastest that list scheduling finds, in integer picoseconds: by the usual orders (`rank`:
// by piece) and by each of `starts` (wanted times, by position in Moves::links), improved.
[[nodiscard]] TimedMoves common_times(const JointProblem& problem, const JointMoves& joint,
                                      std::span<const std::vector<double>> starts,
                                      std::span<const double> rank = {});

// Returns what each collective has of it, with the time at which it has ended.
[[nodiscard]] std::vector<TimedMoves> taken_apart(const JointProblem& problem, const JointMoves& joint,
                                                  const TimedMoves& made);

}  // namespace convert
