// SPDX-License-Identifier: MIT
// Compares the statistics and the replays of two trace sets: how faithful B is to A.
//
//   const Fidelity f = compare_sets(recorded, synthetic, {}, diagnostics);
//   EXPECT_LE(f.set.classes.total_variation, 0.02);
#pragma once

#include <string>
#include <vector>

#include "analyze/fidelity/fidelity.h"
#include "analyze/fidelity/set_features.h"
#include "core/diagnostic.h"
#include "sets/set_source.h"

namespace convert {

struct FidelityWishes {
  bool simulate = true;                 // replay both sets on networks
  std::vector<std::string> networks{};  // instead of networks_to_compare_on()
  unsigned jobs = 1;
};

// Returns the metrics. Reads each set once for its features, rank by rank with `jobs` threads, and once for each
// shape of a network. A set that can be read only once is held in memory. Throws Error if a set cannot be read.
[[nodiscard]] Fidelity compare_sets(SetSource& a, SetSource& b, const FidelityWishes& wishes,
                                    Diagnostics& diagnostics);

// Traces of a set, ascending by rank, with its groups.
struct TracesAndGroups {
  std::vector<Trace> traces{};
  std::string groups_json{};  // empty: no groups
};
[[nodiscard]] Fidelity compare_sets(const TracesAndGroups& a, const TracesAndGroups& b,
                                    const FidelityWishes& wishes, Diagnostics& diagnostics);

}  // namespace convert
