// SPDX-License-Identifier: MIT
// Pools of node costs; a pool belongs to a node of the widest piece that occurs at least k times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/learn/clusters.h"
#include "profile/learn/encoded_rank.h"
#include "profile/learn/place_table.h"
#include "profile/learn/segment_table.h"
#include "profile/workload_profile.h"

namespace convert {

class CostPools {
 public:
  // The arguments must outlive this object.
  CostPools(const SegmentTable& segments, const PlaceTable& places, std::uint32_t k);

  // Adds the costs of a rank, in order of the ranks.
  void add(std::size_t rank, const EncodedRank& encoded);
  // Sets pools and costs of the profile, and the work of the ranks of its jobs. Returns the number of the first
  // pool of calls.
  std::uint32_t write(WorkloadProfile& profile) const;

 private:
  void assign();
  void add_nodes(std::size_t rank, std::uint32_t gap, std::uint32_t segment, std::span<const NodeCost> costs);
  [[nodiscard]] float together(Symbol symbol) const;
  void feed(Symbol symbol, std::span<const WeighedCost> values);
  void add_value(std::size_t pool, const WeighedCost& value);

  const SegmentTable& segments_;
  const PlaceTable& places_;
  std::uint32_t k_;
  // By symbol: first of the consecutive pools of its nodes; none: pools of its parts.
  std::vector<std::size_t> first_pool_;
  // By token: fewer than k occurrences outside of wider pieces; its pool then takes all occurrences.
  std::vector<bool> short_;
  std::vector<std::vector<WeighedCost>> values_;  // of nodes, then of calls
  std::size_t first_call_ = 0;
  // By symbol with pools: total duration of its nodes in ns: sum, sum of squares, count.
  struct Totals {
    double sum = 0, squares = 0, count = 0;
  };
  std::vector<Totals> totals_;
  std::vector<std::vector<std::pair<double, std::uint64_t>>> work_;  // by rank and lane: ns of iterations, nodes
  std::vector<WeighedCost> row_;
  std::uint32_t next_gap_ = 0;
};

}  // namespace convert
