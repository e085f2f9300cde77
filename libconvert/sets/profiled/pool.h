// SPDX-License-Identifier: MIT
// Learns a workload profile for each cluster of sets in a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "profile/pool/medoids.h"
#include "sets/profiled/learning.h"
#include "sets/set_source.h"

namespace convert {

struct PoolOptions {
  std::optional<std::size_t> clusters{};  // at most the number of sets; empty: as best_clustering() finds
  // Minimum number of occurrences, by the number of sets in a cluster; rarer facts are omitted.
  std::function<std::uint32_t(std::size_t sets)> k{};
  unsigned jobs = 1;
};

struct LearnedPool {
  Clustering clustering{};                 // of the sets
  std::vector<double> silhouettes{};       // by set
  std::vector<LearnedProfile> profiles{};  // by cluster
};

// Clusters the sets by distance() and learns the profile of each cluster. Each set is read three times, as by
// learn_profile(), and the communications of all sets are in memory at once. Throws Error as learn_profile() does.
[[nodiscard]] LearnedPool learn_pool(std::span<SetSource* const> sets, const PoolOptions& options,
                                     Diagnostics& diagnostics);

}  // namespace convert
