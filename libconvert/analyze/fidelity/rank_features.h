// SPDX-License-Identifier: MIT
// Statistics of one trace for comparison with another; much smaller than the trace.
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

// Features that ranks and trace sets share. The features of a set are the sum over its ranks.
struct Features {
  // Nodes of a type in a lane. Streams and threadblocks have their own number. Thread numbers are assigned by the
  // operating system, so threads are numbered by node count on their rank; 1 has the most nodes.
  struct InLane {
    std::uint64_t nodes = 0;
    Distribution durations_ns{};  // of nodes with a duration
    Sum work_ps;                  // total of the durations
  };
  std::uint64_t nodes = 0;
  std::map<std::pair<NodeLane, NodeType>, InLane> lanes{};
  std::map<NodeType, Distribution> sizes{};  // bytes of messages, collectives and memory
  Distribution in_degree{}, out_degree{};    // dependencies; duplicates count once
  ClassCounts classes{};
  // Classes with iteration numbers kept in names; empty if no name has one.
  ClassCounts numbered_classes{};
  Autocorrelation calls{};  // of (type, bytes) of messages and collectives, in the order of a simulator

  // Adds the features of `times` ranks like `other`.
  void add(const Features& other, std::uint64_t times = 1);
};

struct RankFeatures : Features {
  Rank rank = 0;
  // Names of the groups that NodeClass::group numbers from 1.
  std::vector<std::string> groups{};
};

// Returns the features of a trace. The trace may be invalid in any way. Peers in classes are signed distances in
// ranks; set_features() replaces peers and groups by roles.
[[nodiscard]] RankFeatures features_of(const Trace& trace);

}  // namespace convert
