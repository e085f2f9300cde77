// SPDX-License-Identifier: MIT
// Origins of the times of collective calls on a machine, and how sure they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run.h"

namespace convert {

struct CallOrigin {
  std::string source;       // "measured", "model", …; see et-machines(5)
  std::uint64_t calls = 0;  // that ended
  double share = 0;         // of the time of all calls, each counted once for each of its NPUs
  double error_pct = -1;    // expected mean error of their time; -1: unknown
};

struct Certainty {
  std::vector<CallOrigin> origins{};  // the largest share first; empty: no call has a time of a machine
  double error_pct = -1;              // of the time of all calls, at most; -1: unknown
};
// Returns the origins of the calls from their last begin to their end.
[[nodiscard]] Certainty certainty_of(const Run& run);

}  // namespace convert
