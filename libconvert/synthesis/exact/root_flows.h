// SPDX-License-Identifier: MIT
// Tells whether so many trees of each root can reach all participants, by the flow into each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "synthesis/graph.h"
#include "synthesis/max_flow.h"

namespace convert {

// Who takes part in trees. A root has `trees` trees to all participants.
struct TreeDemand {
  std::vector<Device> participants{};  // those that are near the others first make questions cheap
  std::vector<Device> roots{};         // some of them
  std::int64_t trees = 1;

  [[nodiscard]] std::int64_t all() const { return static_cast<std::int64_t>(roots.size()) * trees; }
};

// Trees exist where all flow that the roots have, one unit for each tree, can come to each participant (Edmonds).
// Flows are looked for against the arcs, from the participant on; one that has got all may send all to others.
class RootFlows {
 public:
  // All capacities are 0 at first.
  RootFlows(std::uint32_t devices, const TreeDemand& demand, std::span<const MaxFlow::Arc> arcs)
      : demand_(demand), source_(devices), flow_(devices + 1, against(devices, demand, arcs)) {
    for (const Device d : demand.participants)
      own_.push_back(std::ranges::count(demand.roots, d) != 0 ? demand.trees : 0);
    forget();
  }

  void set_capacity(std::uint32_t arc, std::int64_t capacity) { flow_.set_capacity(first() + arc, capacity); }

  // Makes all participants ones that have yet to get all.
  void forget() {
    for (std::uint32_t i = 0; i < first(); ++i) flow_.set_capacity(i, own_[i]);
  }
  // Returns how much less than all comes to the participant of an index.
  std::int64_t missing(std::uint32_t participant) {
    const std::int64_t all = demand_.all();
    const std::int64_t left = all - flow_.run(demand_.participants[participant], source_, all);
    if (left == 0) flow_.set_capacity(participant, all);
    return left;
  }
  // Returns whether a device is on the participant's side of the smallest cut, if something was missing last.
  [[nodiscard]] bool is_cut_off(Device d) const { return flow_.on_source_side(d); }

  // Returns the most that is missing of any, or some number of `enough` or more.
  std::int64_t most_missing(std::int64_t enough) {
    forget();
    std::int64_t most = 0;
    for (std::uint32_t i = 0; i < first() && most < enough; ++i) most = std::max(most, missing(i));
    return most;
  }

 private:
  static std::vector<MaxFlow::Arc> against(std::uint32_t devices, const TreeDemand& demand,
                                           std::span<const MaxFlow::Arc> arcs) {
    std::vector<MaxFlow::Arc> out;
    for (const Device d : demand.participants) out.push_back({d, devices});
    for (const MaxFlow::Arc& a : arcs) out.push_back({a.to, a.from});
    return out;
  }
  [[nodiscard]] std::uint32_t first() const { return static_cast<std::uint32_t>(demand_.participants.size()); }

  const TreeDemand& demand_;
  const std::uint32_t source_;
  std::vector<std::int64_t> own_{};  // by participant
  MaxFlow flow_;
};

}  // namespace convert
