// SPDX-License-Identifier: MIT
// Scales a rank's trace to more data-parallel ranks: the same rank, or a copy of it, in the larger job.
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

// Settings of a workload, if they are known; sizes are then exact.
struct ShardSizes {
  std::int64_t element_bytes = 0;   // of a gathered parameter
  std::int64_t gradient_bytes = 0;  // of a reduced gradient
  std::int64_t reductions = 1;      // number of sharded reductions of each gradient in a trace
  std::int64_t parameters = 0;      // of the rank; 0: unknown
  // Returns the time in ns of a computation with these operations and bytes; empty: computations have no times.
  std::function<std::int64_t(std::int64_t operations, std::int64_t bytes)> time_ns{};
};

// A process group that a rank belongs to.
struct ScaledGroup {
  std::uint64_t ranks = 0;  // before scaling
  bool grows = false;       // else each copy has its own instance of the group
};

// Returns whether a computation belongs to the optimizer, or to the norm of gradients, by its name.
[[nodiscard]] bool is_optimizer(std::string_view name);

struct ScaleCounts {
  std::uint64_t gathers = 0;     // all-gathers of shards that became smaller
  std::uint64_t optimizers = 0;  // nodes of the optimizer and the norm
  std::uint64_t inexact = 0;     // gathers and optimizer nodes with a rounded-up size

  void add(const ScaleCounts& other, std::uint64_t times);
};

class RankScaler {
 public:
  // `groups`: by pg_name; "" is the group of all ranks; may be shared. `grid` and `groups` must outlive this
  // object.
  RankScaler(const RankGrid& grid, const std::map<std::string, ScaledGroup, std::less<>>& groups,
             std::optional<ShardSizes> sizes)
      : grid_(grid), groups_(groups), sizes_(std::move(sizes)) {}

  // Changes the sizes of a rank, once for all copies. In groups that grow, shards of all-gathers are divided among
  // more ranks; so are the optimizer and its norm if shards are gathered. Other collectives keep their bytes.
  // Throws Error(input) [scale] with the node for: an unknown group; an all_to_all in a group that grows; a
  // collective over some dimensions only (involved_dim).
  ScaleCounts resize(Trace& trace) const;
  // Renumbers the rank as a copy: its number, its peers, roots, and groups, by the name that `name` returns.
  void renumber(Trace& trace, std::uint64_t copy, const std::function<std::string(std::string_view)>& name) const;

 private:
  const RankGrid& grid_;
  const std::map<std::string, ScaledGroup, std::less<>>& groups_;
  std::optional<ShardSizes> sizes_;
};

}  // namespace convert
