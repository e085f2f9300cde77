// SPDX-License-Identifier: MIT
// Statistics of the ranks of a set; equal ranks of a class-compressed set are counted once.
#pragma once

#include "analyze/sets/set_statistics.h"
#include "sets/set_source.h"

namespace convert {

// Returns the statistics of a set, rank by rank, ascending. Throws Error(input) if a rank is repeated.
[[nodiscard]] SetStatistics statistics_of(SetSource& source, RankWishes wishes,
                                          const SetStatistics::Options& options, unsigned jobs);

}  // namespace convert
