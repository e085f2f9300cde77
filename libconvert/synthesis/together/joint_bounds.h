// SPDX-License-Identifier: MIT
// Lower bound of the time of several concurrent collectives, with the limiting links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "synthesis/bounds/bounds.h"
#include "synthesis/together/problem.h"

namespace convert {

// Bytes of all collectives that must cross links.
struct JointCut {
  std::vector<Device> devices{};       // the links lead out of these devices; empty: all links into NPUs that
                                       // participate in a collective
  std::vector<std::uint32_t> links{};  // ascending
  std::int64_t bytes = 0;
  std::int64_t bandwidth = 0;  // of the links, in units of the graph
  Picoseconds time = 0;        // with the latency of each link, rounded down
};

struct JointBounds {
  std::vector<Bounds> each{};  // by collective: its bounds when it runs alone
  JointCut cut{};              // the worst cut found
  Picoseconds lower = 0;       // the largest of all
};

// Returns the bound of each collective, and the worst of some cuts by the sum of bytes that must cross them: cuts
// around single devices, the cuts that bound each collective, and cuts found from these by adding and removing
// devices.
[[nodiscard]] JointBounds find_joint_bounds(const JointProblem& problem);

// Lowers the bounds to the time of a shorter schedule, since replays round each message to a picosecond.
void allow_rounding(JointBounds& bounds, Picoseconds total);

// Returns the bounds and their locations as text: a line, then one or more for each collective.
[[nodiscard]] std::string joint_bounds_text(const JointProblem& problem, const JointBounds& bounds);

// Returns the bounds as a JSON document.
[[nodiscard]] std::string joint_bounds_json(const JointProblem& problem, const JointBounds& bounds);

// Returns "all_gather of NPUs 0-3".
[[nodiscard]] std::string collective_text(const SynthesisProblem& problem);

}  // namespace convert
