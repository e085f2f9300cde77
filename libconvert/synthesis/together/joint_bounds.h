// SPDX-License-Identifier: MIT
// Bounds the time of several collectives that run at once from below, and says which links are to blame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "synthesis/bounds/bounds.h"
#include "synthesis/together/problem.h"

namespace convert {

// So many bytes of all collectives must cross links.
struct JointCut {
  std::vector<Device> devices{};       // out of which the links lead; empty: these are all that lead to an NPU that
                                       // takes part in one of them
  std::vector<std::uint32_t> links{};  // ascending
  std::int64_t bytes = 0;
  std::int64_t bandwidth = 0;  // of the links, in units of the graph
  Picoseconds time = 0;        // with the latency of each link, rounded down
};

struct JointBounds {
  std::vector<Bounds> each{};  // by collective: what it takes at least by itself
  JointCut cut{};              // the worst that was found
  Picoseconds lower = 0;       // the largest of all
};

// Returns a bound: that of each collective, and the worst of some cuts by the sum of what must cross them: those of
// single devices, those that bound each collective, and what is found from them by adding and leaving out devices.
[[nodiscard]] JointBounds find_joint_bounds(const JointProblem& problem);

// Lowers the bounds to the time of a shorter schedule, since replays round each message to a picosecond.
void allow_rounding(JointBounds& bounds, Picoseconds total);

// Returns what the bounds are, and where, for people: a line, then one or more for each collective.
[[nodiscard]] std::string joint_bounds_text(const JointProblem& problem, const JointBounds& bounds);

// Returns all of it as a document of JSON.
[[nodiscard]] std::string joint_bounds_json(const JointProblem& problem, const JointBounds& bounds);

// Returns "all_gather of NPUs 0-3".
[[nodiscard]] std::string collective_text(const SynthesisProblem& problem);

}  // namespace convert
