// SPDX-License-Identifier: MIT
// Adds up the features of the ranks of a set, whose groups and peers become roles that other sets have too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/fidelity/rank_features.h"

namespace convert {

// The ranks of process groups, by their names.
using GroupRanks = std::map<std::string, std::vector<Rank>>;

struct SetFeatures {
  Features all{};
  std::vector<RankFeatures> ranks{};  // ascending
};

// Returns the features of a set of `world` ranks, of which these, ascending, are there. In classes the group of a
// collective becomes its role: how many ranks it has, and how far from the first of them the others are, so that
// the groups of a kind are one; of a group that is not listed, its name. A peer that is k ranks behind of n becomes
// one that is n - k ranks further on.
[[nodiscard]] SetFeatures set_features(std::vector<RankFeatures>&& ranks, const GroupRanks& groups, Rank world);

}  // namespace convert
