// SPDX-License-Identifier: MIT
// Decides whether a number of trees from each root can reach all participants, by the flow into each participant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "synthesis/graph.h"
#include "synthesis/max_flow.h"

namespace convert {

// Participants and roots of trees. Each root has `trees` trees to all participants.
struct TreeDemand {
  std::vector<Device> participants{};  // an order in which neighbours follow each other makes queries cheap
  std::vector<Device> roots{};         // some of the participants
  std::int64_t trees = 1;

  [[nodiscard]] std::int64_t all() const { return static_cast<std::int64_t>(roots.size()) * trees; }
};

// The trees exist if the flow of all roots, one unit for each tree, can reach each participant (Edmonds). Flows are
// searched against the arcs, from the participant on. A participant that has received all of it may send all of it
// to others.
class RootFlows {
 public:
  // All capacities are 0 initially.
  RootFlows(std::uint32_t devices, const TreeDemand& demand, std::span<const MaxFlow::Arc> arcs)
      : demand_(demand), source_(devices), flow_(devices + 1, against(devices, demand, arcs)) {
    for (const Device d : demand.participants)
      own_.push_back(std::ranges::count(demand.roots, d) != 0 ? demand.trees : 0);
    forget();
  }

  void set_capacity(std::uint32_t arc, std::int64_t capacity) { flow_.set_capacity(first() + arc, capacity); }

  // Resets all participants to not having received the flow.
  void forget() {
    for (std::uint32_t i = 0; i < first(); ++i) flow_.set_capacity(i, own_[i]);
  }
  // Returns the flow that is missing at participant number `participant`.
  std::int64_t missing(std::uint32_t participant) {
    const std::int64_t all = demand_.all();
    const std::int64_t left = all - flow_.run(demand_.participants[participant], source_, all);
    if (left == 0) flow_.set_capacity(participant, all);
    return left;
  }
  // Returns whether a device is on the participant's side of the minimum cut, if the last missing() was not 0.
  [[nodiscard]] bool is_cut_off(Device d) const { return flow_.on_source_side(d); }

  // Returns the maximum of missing() over all participants, or some value of at least `enough`.
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
