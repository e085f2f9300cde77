// SPDX-License-Identifier: MIT
// Dependencies between the communications of a rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/call_mask.h"
#include "profile/learn/rank_log.h"

namespace convert {

struct CallWaits {
  CallMask all{};                        // all communications that it depends on
  std::vector<std::uint32_t> nearest{};  // distances back to those that no other one of `all` depends on, ascending
};

// Returns the dependencies of each call, by its position among the calls of the rank. `places` holds the unique
// position of each call of the log; no_index: the call is omitted, and no call depends on it. Dependencies on later
// positions are ignored.
[[nodiscard]] std::vector<CallWaits> call_waits(const RankLog& log, std::span<const std::uint32_t> places);

}  // namespace convert
