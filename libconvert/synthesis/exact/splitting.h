// SPDX-License-Identifier: MIT
// Takes devices that do not take part out of a network: what a link brings there goes on over another at once, as
// one link from participant to participant, so that as many trees exist afterwards (edge splitting, after Mader,
// Frank and Jackson; Zhao et al., ForestColl).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/exact/root_flows.h"
#include "synthesis/graph.h"

namespace convert {

// A way over links of the network, for `count` trees.
struct WayBundle {
  std::vector<std::uint32_t> links{};
  std::int64_t count = 0;
};

// All ways from a participant to another one.
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
  bool prune = true;      // leave out what is not needed first, the farthest from participants first
  bool far_first = true;  // take out the farthest devices first; else the nearest
};

// Returns by device the fewest links from a participant; no_index where no way leads.
[[nodiscard]] std::vector<std::uint32_t> hops_from(const LinkGraph& graph, std::span<const Device> participants);

// Returns a device that does not take part and has not as much capacity in as out; none if there is none such.
[[nodiscard]] std::optional<Device> uneven_device(const LinkGraph& graph, std::span<const Device> participants,
                                                  std::span<const std::int64_t> capacities);

// Returns the edges between participants, by beginning and end, of a network whose links have capacities (by link),
// with which the trees of the demand exist. No device is passed twice on a way. Devices that do not take part have
// as much capacity in as out.
[[nodiscard]] std::vector<DirectEdge> split_off_others(const LinkGraph& graph, const TreeDemand& demand,
                                                       std::span<const std::int64_t> capacities,
                                                       const SplitChoice& choice);

}  // namespace convert
