// SPDX-License-Identifier: MIT
// Times of a custom algorithm on a machine, for et-calibrate --program.
#pragma once

#include <string>

#include "calibrate/fit.h"

namespace tools {

// Returns the times of replays of an algorithm, as --algorithm of et-replay names it, on variants of the machine
// that `network` names.
[[nodiscard]] convert::AlgorithmTime algorithm_time(const std::string& network, const std::string& algorithm);

}  // namespace tools
