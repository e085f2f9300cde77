// SPDX-License-Identifier: MIT
// Tells a person how sets were taken apart.
#pragma once

#include <string>
#include <vector>

#include "sets/profiled/pool.h"

namespace tools {

// Returns two tables: the clusters, each with the set that stands for it; the sets, each with its cluster. `names`:
// of the sets.
[[nodiscard]] std::string cluster_tables(const convert::LearnedPool& pool, const std::vector<std::string>& names);

// Prints them on standard output, or, where profiles are written to that, as notes.
void tell_clusters(const convert::LearnedPool& pool, const std::vector<std::string>& names, bool as_notes);

}  // namespace tools
