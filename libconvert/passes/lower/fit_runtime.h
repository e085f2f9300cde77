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
};

// Spreads the messages of each wire over channels, so that no threadblock has too many steps. If a GPU then has too
// many threadblocks, those that send also receive: each has its steps in the order of the transfers, in which all
// of the algorithm can be done, so that nothing new can block.
[[nodiscard]] RuntimeFit fit_runtime(const Algorithm& scheduled, const RuntimeLimits& limits);

}  // namespace convert
