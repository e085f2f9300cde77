// SPDX-License-Identifier: MIT
// Reports the clusters of sets.
#pragma once

#include <string>
#include <vector>

#include "sets/profiled/pool.h"

namespace tools {

// Returns two tables: the clusters with their representatives, and the sets with their clusters. `names`: of the
// sets.
[[nodiscard]] std::string cluster_tables(const convert::LearnedPool& pool, const std::vector<std::string>& names);

// Prints the tables on standard output; as notes if profiles are written there.
void tell_clusters(const convert::LearnedPool& pool, const std::vector<std::string>& names, bool as_notes);

}  // namespace tools
