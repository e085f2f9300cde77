// SPDX-License-Identifier: MIT
// Compares two class-compressed sets without comparing each pair of ranks.
#pragma once

#include <string>

#include "analyze/diff/difference.h"
#include "core/master/master_set.h"

namespace convert {

// Returns the difference, rank by rank, as compare_traces() does. Each pair of equal classes of A and B is compared
// once; each rank that differs is compared separately. Messages use the names of the sets. Throws Error(input) if a
// set has a rank twice.
[[nodiscard]] Difference compare_by_classes(const MasterSet& a, const std::string& name_a, const MasterSet& b,
                                            const std::string& name_b, const DiffWishes& wishes, unsigned jobs);

}  // namespace convert
