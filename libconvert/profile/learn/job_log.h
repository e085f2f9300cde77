// SPDX-License-Identifier: MIT
// Result of the first reading of a job: its ranks, their groups, the order of its communications.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "passes/scale/grid.h"
#include "profile/learn/calls/comm_order.h"
#include "profile/learn/parts.h"
#include "profile/learn/rank_log.h"

namespace convert {

struct JobLog {
  // A class of nodes that are not communications, by name, over all ranks.
  struct Use {
    std::uint64_t nodes = 0;
    double time_ns = 0;
    std::size_t rank = 0;    // the only rank that has it; no_index: several
    std::uint32_t part = 0;  // the only part that has it; no_index: several
    LargestCosts largest{};
  };
  std::string name{};  // for messages
  IterationRule rule{};
  DataRanks data{};
  std::map<std::string, std::vector<Rank>> groups{};  // by pg_name, if their members are known
  std::vector<RankLog> ranks{};                       // ascending
  std::map<std::pair<ProfileClass, std::string>, Use> uses{};
  CommOrder order{};

  // Moves the uses of a rank into this log; `rank` identifies the rank.
  void take_uses(std::size_t rank, RankLog& from, std::uint32_t k);
};

}  // namespace convert
