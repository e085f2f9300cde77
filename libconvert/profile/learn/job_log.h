// SPDX-License-Identifier: MIT
// Holds what the first reading of a job tells: its ranks, their groups, the order of its communications.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "passes/scale/grid.h"
#include "profile/learn/calls/comm_order.h"
#include "profile/learn/parts.h"
#include "profile/learn/rank_log.h"

namespace convert {

struct JobLog {
  std::string name{};  // for messages
  IterationRule rule{};
  DataRanks data{};
  std::map<std::string, std::vector<Rank>> groups{};  // by pg_name, as far as their members are known
  std::vector<RankLog> ranks{};                       // ascending
  CommOrder order{};
};

}  // namespace convert
