// SPDX-License-Identifier: MIT
// Fits an algorithm that came from a schedule into what a runtime accepts.
#pragma once

#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"

namespace convert {

struct RuntimeFit {
  std::optional<Algorithm> algorithm{};  // as runnable() makes it, within the limits
  std::string exceeded{};                // if there is none: "GPU 3 would need 96 threadblocks; RCCL accepts 64"
  double times = 1;                      // how many times as much as is accepted that is; 1: not known
  bool elements = false;                 // that is the number of XML elements
};

// Makes what a runtime takes. Of an algorithm that came from a schedule it spreads the messages of each wire over
// channels, so that no threadblock has too many steps. If a GPU then has too many threadblocks, those that send
// also receive: each has its steps in the order of the transfers, in which all of the algorithm can be done, so
// that nothing new can block. Any algorithm gets the collective's name that the runtime knows, and for RCCL the
// steps of split_steps().
[[nodiscard]] RuntimeFit fit_runtime(const Algorithm& algorithm, const RuntimeLimits& limits);

}  // namespace convert
