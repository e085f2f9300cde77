// SPDX-License-Identifier: MIT
// Fits an algorithm from a schedule into the limits of a runtime.
#pragma once

#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"

namespace convert {

// Result of fit_runtime().
struct RuntimeFit {
  std::optional<Algorithm> algorithm{};  // the result of runnable(), within the limits
  std::string exceeded{};                // if it does not fit: "GPU 3 would need 96 threadblocks; RCCL accepts 64"
  double times = 1;                      // factor by which the limit is exceeded; 1: unknown
  bool elements = false;                 // the exceeded limit is the number of XML elements
};

// Fits an algorithm into the limits of a runtime. For an algorithm from a schedule, the messages of each link are
// spread over channels, so that no threadblock has too many steps. If a GPU then has too many threadblocks, sending
// threadblocks also receive: each has its steps in the order of the transfers, in which the whole algorithm can
// run, so the new order cannot block. Any algorithm gets the collective name that the runtime uses, and for RCCL
// the steps of split_steps().
[[nodiscard]] RuntimeFit fit_runtime(const Algorithm& algorithm, const RuntimeLimits& limits);

}  // namespace convert
