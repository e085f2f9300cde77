// SPDX-License-Identifier: MIT
// Collects what nodes cost, by where they stand in the widest piece that stands at least k times.
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
  // All must outlive this object.
  CostPools(const SegmentTable& segments, const PlaceTable& places, std::uint32_t k);

  // Adds the costs of a rank, in the order of the ranks.
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
  std::vector<std::size_t> first_pool_;  // by symbol: of its nodes, which follow each other; none: as its parts
  std::vector<bool> short_;              // by token: fewer than k have no wider piece; then all are in its pool
  std::vector<std::vector<WeighedCost>> values_;  // of nodes, then of calls
  std::size_t first_call_ = 0;
  // By symbol that has pools: how long its nodes take together, ns: sum, sum of the squares, number.
  struct Totals {
    double sum = 0, squares = 0, count = 0;
  };
  std::vector<Totals> totals_;
  std::vector<std::vector<std::pair<double, std::uint64_t>>> work_;  // by rank and lane: ns of iterations, nodes
  std::vector<WeighedCost> row_;
  std::uint32_t next_gap_ = 0;
};

}  // namespace convert
