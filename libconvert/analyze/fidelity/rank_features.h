// SPDX-License-Identifier: MIT
// Sums up one trace, so that another one can be compared with it by statistics: a small part of its size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/fidelity/autocorrelation.h"
#include "analyze/fidelity/distribution.h"
#include "analyze/fidelity/node_class.h"
#include "analyze/figures/figures.h"
#include "core/trace.h"
#include "graph/lanes.h"

namespace convert {

// What ranks and sets have in common: what is added up over ranks.
struct Features {
  // What runs in a lane: streams and threadblocks by their number; threads, whose numbers the system gives, by how
  // many nodes they have on their rank, from 1, the thread with the most.
  struct InLane {
    std::uint64_t nodes = 0;
    Distribution durations_ns{};  // of nodes that tell one
    Sum work_ps;                  // of them
  };
  std::uint64_t nodes = 0;
  std::map<std::pair<NodeLane, NodeType>, InLane> lanes{};
  std::map<NodeType, Distribution> sizes{};  // bytes of messages, collectives and memory
  Distribution in_degree{}, out_degree{};    // dependencies, each once
  ClassCounts classes{};
  // The same with the numbers of iterations in names; empty where no name has one.
  ClassCounts numbered_classes{};
  Autocorrelation calls{};  // of (type, bytes) of messages and collectives, as a simulator issues them

  // Adds those of so many further ranks.
  void add(const Features& other, std::uint64_t times = 1);
};

struct RankFeatures : Features {
  Rank rank = 0;
  // The names of the groups by which NodeClass::group numbers them, from 1.
  std::vector<std::string> groups{};
};

// Returns the features of a trace, whose nodes may be wrong in any way. Peers in classes are ranks further on, or
// behind; see SetFeatures for what becomes of them and of groups.
[[nodiscard]] RankFeatures features_of(const Trace& trace);

}  // namespace convert
