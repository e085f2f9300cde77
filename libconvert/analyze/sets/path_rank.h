// SPDX-License-Identifier: MIT
// Data of one trace that find_path() needs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.h"
#include "core/units.h"
#include "graph/collectives.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {

struct PathRank {
  enum class Work : std::uint8_t { none, compute, host, memory, communication };

  Rank rank = 0;
  std::vector<Picoseconds> time_ps;        // by node
  std::vector<Work> work;                  // by node
  std::vector<std::uint32_t> parents;      // by node: number of parents
  std::vector<std::uint32_t> child_begin;  // number of nodes + 1 elements
  std::vector<std::uint32_t> children;
  std::vector<NodeId> ids;
  RankMessages messages;
  RankCollectives collectives;
};

}  // namespace convert
