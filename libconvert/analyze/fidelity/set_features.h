// SPDX-License-Identifier: MIT
// Features of a trace set; groups and peers become roles, which are comparable between sets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/fidelity/rank_features.h"

namespace convert {

// Ranks of process groups by name.
using GroupRanks = std::map<std::string, std::vector<Rank>>;

struct SetFeatures {
  Features all{};
  std::vector<RankFeatures> ranks{};  // ascending
};

// Returns the features of a set of `world` ranks; `ranks` holds the features of its present ranks, ascending. In
// classes, the group of a collective is replaced by its role: the number of ranks and their distances from the
// first rank, so that all groups of a kind are equal. A group that is not in `groups` keeps its name. A peer k
// ranks before a rank becomes the peer `world` - k ranks after it.
[[nodiscard]] SetFeatures set_features(std::vector<RankFeatures>&& ranks, const GroupRanks& groups, Rank world);

}  // namespace convert
