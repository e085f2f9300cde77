// SPDX-License-Identifier: MIT
// Counts what the ranks of a set have: where they are held by classes, ranks that are alike once.
#pragma once

#include "analyze/sets/set_statistics.h"
#include "sets/set_source.h"

namespace convert {

// Returns the statistics of a set, rank by rank in the order of their numbers. Throws Error(input) if one comes
// twice.
[[nodiscard]] SetStatistics statistics_of(SetSource& source, RankWishes wishes,
                                          const SetStatistics::Options& options, unsigned jobs);

}  // namespace convert
