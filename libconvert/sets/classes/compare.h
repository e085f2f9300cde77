// SPDX-License-Identifier: MIT
// Compares two sets that are held by classes, without looking at each rank of both.
#pragma once

#include <string>

#include "analyze/diff/difference.h"
#include "core/master/master_set.h"

namespace convert {

// Returns what differs, rank by rank, as compare_traces() tells it; it is asked once for ranks of a class in A, and
// of one in B, that are the same, and for each rank that is not. Messages call the sets by their names. Throws
// Error(input) if a rank stands twice in a set.
[[nodiscard]] Difference compare_by_classes(const MasterSet& a, const std::string& name_a, const MasterSet& b,
                                            const std::string& name_b, const DiffWishes& wishes, unsigned jobs);

}  // namespace convert
