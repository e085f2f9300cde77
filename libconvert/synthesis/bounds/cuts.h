// SPDX-License-Identifier: MIT
// Finds the set of devices that delays a collective most: what must leave it, over the bandwidth of the links out
// of it.
//
// The largest such ratio bounds every schedule, and trees that reach it exist, without copies made in switches,
// where each device has as much bandwidth out as in (Zhao et al., ForestColl, arXiv 2402.06787; for one root
// Edmonds' disjoint branchings). It is found exactly, by Newton's method: a flow that falls short at the ratio so
// far gives a cut of a larger one, and what has passed at a smaller ratio passes at a larger one, so that each
// participant is a sink once, and once more for each cut that is found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/fraction.h"
#include "synthesis/graph.h"

namespace convert {

// The parts that must leave a set of devices.
struct DeviceCut {
  std::vector<Device> devices{};  // ascending; empty: there is no such cut, as with one participant
  std::int64_t parts = 0;
  std::int64_t bandwidth = 0;  // of the links out of it, in units of the graph

  [[nodiscard]] Fraction ratio() const { return {parts, devices.empty() ? 1 : bandwidth}; }
};

struct WorstCut {
  DeviceCut cut;
  std::uint32_t flows = 0;  // how many largest flows were found
};

// Return the cut of the largest ratio where each participant has a part for all others (all-gather); where `root`
// has one for all others (broadcast); where it has one for each of them (scatter). Their opposites are those of the
// reversed graph, see opposite(). Ways must lead to all. Throw Error(input) if N times the largest bandwidth, in
// units, is 2^62 or more, or a number of that size appears on the way. Participants are ascending.
[[nodiscard]] WorstCut worst_gather_cut(const LinkGraph& graph, std::span<const Device> participants);
[[nodiscard]] WorstCut worst_broadcast_cut(const LinkGraph& graph, std::span<const Device> participants,
                                           Device root);
[[nodiscard]] WorstCut worst_scatter_cut(const LinkGraph& graph, std::span<const Device> participants, Device root);

// Returns a cut of the reversed graph as one of the graph: the other devices, out of which the same links lead.
[[nodiscard]] DeviceCut opposite(DeviceCut cut, std::uint32_t devices);

// Return all devices but one, out of which links to it lead, and the device alone.
[[nodiscard]] DeviceCut cut_into(const LinkGraph& graph, Device device, std::int64_t parts);
[[nodiscard]] DeviceCut cut_out_of(const LinkGraph& graph, Device device, std::int64_t parts);

}  // namespace convert
