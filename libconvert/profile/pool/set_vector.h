// SPDX-License-Identifier: MIT
// Tells by numbers what a set is like, and how far two sets are from each other.
#pragma once

#include <vector>

#include "profile/learn/job_log.h"

namespace convert {

// Holds numbers that mean the same in all sets, place by place: means of a rank in an iteration, without prologue
// and epilogue. Amounts are natural logarithms (of 1 + the amount where that may be 0, of milliseconds if it is a
// time), so a difference of 0.1 is a tenth more; shares are parts of 1. No number depends on the other sets of a
// pool.
//
//   by collective   calls, bytes, members of the group (the mean of the logarithms over the calls)
//   sends, receives how many, bytes
//   sizes           the quartiles of the bytes of all communications
//   ranks           how many
//   computations    how many on the host, on the device, and of memory
//   times           the longest chain of a rank, the mean of all ranks
//   shares          what part of all durations is the host's, the device's, of memory, of collectives and of
//                   messages; what part of the longest chains communicates
struct SetVector {
  struct Number {
    double value = 0;
    double weight = 1;
    double slack = 0;  // a difference up to this counts a hundredth
  };
  std::vector<Number> numbers{};
};
[[nodiscard]] SetVector set_vector(const JobLog& job);

// Returns the sum of the differences, weighed: those of bytes and sizes count half, since they go with each other,
// and those of shares four times. Of times what is within a factor of 2, and of shares what is within a fifth,
// counts a hundredth: so what makes times of one program differ from run to run, be it a third, says which set is
// in the middle of its like, and outweighs nothing else.
[[nodiscard]] double distance(const SetVector& a, const SetVector& b);
// The distance up to which sets are alike: that of a twelfth more layers, for example.
inline constexpr double alike_distance = 0.25;

}  // namespace convert
