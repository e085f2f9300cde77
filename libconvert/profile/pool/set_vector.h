// SPDX-License-Identifier: MIT
// Feature vector of a trace set, and distance of two sets.
#pragma once

#include <vector>

#include "profile/learn/job_log.h"

namespace convert {

// Features with the same meaning in all sets, by index: means per rank and iteration, without prologue and
// epilogue. Amounts are natural logarithms (of 1 + the amount if it can be 0; times in milliseconds), so a
// difference of 0.1 is about 10 %. Shares are fractions of 1. No feature depends on other sets of a pool.
//
//   by collective   calls, bytes, members of the group (mean of the logarithms over the calls)
//   sends, receives number, bytes
//   sizes           quartiles of the bytes of all communications
//   ranks           number
//   computations    number on the host, on the device, and of memory nodes
//   times           longest chain of a rank, mean over ranks
//   shares          of all durations: host, device, memory, collectives, messages; of the longest chains:
//   communication
struct SetVector {
  struct Number {
    double value = 0;
    double weight = 1;
    double slack = 0;  // a difference up to this counts a hundredth
  };
  std::vector<Number> numbers{};
};
[[nodiscard]] SetVector set_vector(const JobLog& job);

// Returns the weighted sum of the differences. Features of bytes and sizes are correlated and count half; shares
// count four times. Differences of times within a factor of 2, and of shares within a fifth, count a hundredth. So
// the variation of times between runs of one program cannot outweigh other features, but still selects the medoid
// of similar sets.
[[nodiscard]] double distance(const SetVector& a, const SetVector& b);
// Maximum distance of similar sets: for example, the distance to a set with a twelfth more layers.
inline constexpr double alike_distance = 0.25;

}  // namespace convert
