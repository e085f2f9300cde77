// SPDX-License-Identifier: MIT
// Finds an order of a set's nodes that all of its ranks can follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "sets/derived/kept_ranks.h"

namespace convert {

// Round in which each node begins if every node takes one round, and receives and collectives wait for their
// partners. A rank that follows the rounds never waits for a node that another rank begins after a wait for it.
class SetRounds {
 public:
  // Finds no rounds for recorded sets, whose times give the order, and, with a warning, for sets with too many
  // nodes.
  SetRounds(const KeptRanks& ranks, SetSource& source, unsigned jobs, Diagnostics& diagnostics);
  // Returns the rounds of a rank's nodes, by index; empty if they are unknown.
  [[nodiscard]] std::span<const std::uint32_t> of(Rank rank) const;
  // Returns the recorded begin of the first node of the set, in ns; 0 if no node states it.
  [[nodiscard]] std::int64_t first_ns() const { return first_ns_; }

 private:
  std::int64_t first_ns_ = 0;
  std::vector<std::uint32_t> rounds_;  // rank by rank
  std::vector<std::uint32_t> base_;    // index of each rank's first node; empty: unknown
};

}  // namespace convert
