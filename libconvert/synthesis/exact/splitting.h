// SPDX-License-Identifier: MIT
// Removes non-participants from a network by edge splitting: a link into a device and a link out of it become one
// link between their other ends, so that the same number of trees exists afterwards (after Mader, Frank and
// Jackson; Zhao et al., ForestColl).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/exact/root_flows.h"
#include "synthesis/graph.h"

namespace convert {

// A route over links of the network, for `count` trees.
struct WayBundle {
  std::vector<std::uint32_t> links{};
  std::int64_t count = 0;
};

// All routes from a participant to another one.
struct DirectEdge {
  Device from = 0;
  Device to = 0;
  std::vector<WayBundle> ways{};

  [[nodiscard]] std::int64_t capacity() const {
    std::int64_t sum = 0;
    for (const WayBundle& w : ways) sum += w.count;
    return sum;
  }
};

struct SplitChoice {
  bool prune = true;      // first remove capacity that is not needed, the farthest from participants first
  bool far_first = true;  // remove the farthest devices first; else the nearest
};

// Returns, by device, the fewest links from a participant; no_index if there is no route.
[[nodiscard]] std::vector<std::uint32_t> hops_from(const LinkGraph& graph, std::span<const Device> participants);

// Returns a non-participant whose incoming capacity differs from its outgoing capacity; nothing if no such device
// exists.
[[nodiscard]] std::optional<Device> uneven_device(const LinkGraph& graph, std::span<const Device> participants,
                                                  std::span<const std::int64_t> capacities);

// Returns the edges between participants, by start and end, of a network with capacities by link, with which the
// trees of the demand exist. A route passes no device twice. Non-participants must have as much incoming as
// outgoing capacity.
[[nodiscard]] std::vector<DirectEdge> split_off_others(const LinkGraph& graph, const TreeDemand& demand,
                                                       std::span<const std::int64_t> capacities,
                                                       const SplitChoice& choice);

}  // namespace convert
