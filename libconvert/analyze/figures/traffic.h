// SPDX-License-Identifier: MIT
// Table of the bytes between NPUs, from traces or from a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/figures/figures.h"

namespace convert {

struct PairBytes {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::uint64_t messages = 0;
  Sum bytes{};
};

// Returns the table "pairs", the pair with the most bytes first; shares are relative to `total`.
[[nodiscard]] Table traffic_table(const std::string& title, const std::vector<PairBytes>& pairs, const Sum& total);

}  // namespace convert
