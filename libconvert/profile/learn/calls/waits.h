// SPDX-License-Identifier: MIT
// Tells which communications of a rank wait for which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/call_mask.h"
#include "profile/learn/rank_log.h"

namespace convert {

struct CallWaits {
  CallMask all{};                        // what it waits for
  std::vector<std::uint32_t> nearest{};  // of these, how far back: what none of the others waits for; ascending
};

// Returns what each call waits for, by its place among the calls of the rank: `places` has that of each call of the
// log, each once; no_index: it is left out, and nothing waits for it. What waits for a later place is as if it did
// not.
[[nodiscard]] std::vector<CallWaits> call_waits(const RankLog& log, std::span<const std::uint32_t> places);

}  // namespace convert
