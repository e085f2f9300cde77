// SPDX-License-Identifier: MIT
// Worst cut of a collective: the set of devices with the largest ratio of outgoing shards to outgoing bandwidth.
//
// The largest ratio bounds every schedule. If each device has as much outgoing as incoming bandwidth, trees that
// reach it exist, without copies made in switches (Zhao et al., ForestColl, arXiv 2402.06787; for one root Edmonds'
// disjoint branchings). It is found exactly, by Newton's method: a flow that falls short at the current ratio gives
// a cut of a larger ratio. A sink that passes at a smaller ratio passes at a larger one. So each participant is a
// sink once, and once more for each cut that is found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/fraction.h"
#include "synthesis/graph.h"

namespace convert {

// The shards that must leave a set of devices.
struct DeviceCut {
  std::vector<Device> devices{};  // ascending; empty: there is no such cut, as with one participant
  std::int64_t parts = 0;
  std::int64_t bandwidth = 0;  // of the links out of it, in units of the graph

  [[nodiscard]] Fraction ratio() const { return {parts, devices.empty() ? 1 : bandwidth}; }
};

struct WorstCut {
  DeviceCut cut;
  std::uint32_t flows = 0;  // number of maximum flows computed
};

// Return the cut of the largest ratio for a collective in which each participant has a shard for all others
// (all-gather), `root` has one for all others (broadcast), or `root` has one for each other (scatter). For the
// opposite collectives, use the reversed graph, see opposite(). Requires routes to all. Throw Error(input) if N
// times the largest bandwidth, in units, or an intermediate number is at least 2^62. Participants are ascending.
[[nodiscard]] WorstCut worst_gather_cut(const LinkGraph& graph, std::span<const Device> participants);
[[nodiscard]] WorstCut worst_broadcast_cut(const LinkGraph& graph, std::span<const Device> participants,
                                           Device root);
[[nodiscard]] WorstCut worst_scatter_cut(const LinkGraph& graph, std::span<const Device> participants, Device root);

// Returns a cut of the reversed graph as a cut of the graph: the other devices, which the same links lead out of.
[[nodiscard]] DeviceCut opposite(DeviceCut cut, std::uint32_t devices);

// Return the set of all devices but one, which the links to that device lead out of; and the set of the device
// alone.
[[nodiscard]] DeviceCut cut_into(const LinkGraph& graph, Device device, std::int64_t parts);
[[nodiscard]] DeviceCut cut_out_of(const LinkGraph& graph, Device device, std::int64_t parts);

}  // namespace convert
