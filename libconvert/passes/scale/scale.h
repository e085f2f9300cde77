// SPDX-License-Identifier: MIT
// Makes of what a rank does what the same rank, or a copy of it, does among more data-parallel ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/scale/grid.h"

namespace convert {

// What a workload's settings say, where they are known: sizes are exact then.
struct ShardSizes {
  std::int64_t element_bytes = 0;   // of a gathered parameter
  std::int64_t gradient_bytes = 0;  // of a gradient that is reduced
  std::int64_t reductions = 1;      // how often a trace reduces each gradient, sharded
  std::int64_t parameters = 0;      // of the rank; 0: not known
  // Returns how long a computation of so many operations and bytes takes, ns; empty: computations have no times.
  std::function<std::int64_t(std::int64_t operations, std::int64_t bytes)> time_ns{};
};

// A group among the ranks of a rank.
struct ScaledGroup {
  std::uint64_t ranks = 0;  // before
  bool grows = false;       // else the group is there again for each copy
};

// Returns whether a computation is of the optimizer, or of the norm of gradients, by its name.
[[nodiscard]] bool is_optimizer(std::string_view name);

struct ScaleCounts {
  std::uint64_t gathers = 0;     // all-gathers of shards that became smaller
  std::uint64_t optimizers = 0;  // nodes of optimizer and norm
  std::uint64_t inexact = 0;     // of both: what was divided and rounded up

  void add(const ScaleCounts& other, std::uint64_t times);
};

class RankScaler {
 public:
  // `groups`: by pg_name, "" is that of all ranks; may be shared. Both must outlive this object.
  RankScaler(const RankGrid& grid, const std::map<std::string, ScaledGroup, std::less<>>& groups,
             std::optional<ShardSizes> sizes)
      : grid_(grid), groups_(groups), sizes_(std::move(sizes)) {}

  // Changes the sizes of a rank, once for all copies: of groups that grow, all-gathers of shards have as many ranks
  // more to share with, and so has the optimizer with its norm, where shards are gathered. Other collectives keep
  // their bytes. Throws Error(input) [scale] with the node: a group that is not known; an all_to_all among ranks
  // that become more; some dimensions only (involved_dim).
  ScaleCounts resize(Trace& trace) const;
  // Makes the rank that of a copy: its number, its peers, roots, and groups, by the name that `name` gives.
  void renumber(Trace& trace, std::uint64_t copy, const std::function<std::string(std::string_view)>& name) const;

 private:
  const RankGrid& grid_;
  const std::map<std::string, ScaledGroup, std::less<>>& groups_;
  std::optional<ShardSizes> sizes_;
};

}  // namespace convert
