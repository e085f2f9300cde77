// SPDX-License-Identifier: MIT
// Finds an order for the nodes of a set that all of its ranks can keep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "sets/derived/kept_ranks.h"

namespace convert {

// The round in which each node begins if all take one, and receives and collectives wait for their partners: a rank
// that goes by them never waits for what another one begins behind a wait for it.
class SetRounds {
 public:
  // Finds none for recorded sets, whose times tell their order, and, with a warning, for sets of very many nodes.
  SetRounds(const KeptRanks& ranks, SetSource& source, unsigned jobs, Diagnostics& diagnostics);
  // Returns the rounds of a rank's nodes, by index; empty if they are not known.
  [[nodiscard]] std::span<const std::uint32_t> of(Rank rank) const;
  // Returns when the first node of the set began, as recorded; 0 if none says.
  [[nodiscard]] std::int64_t first_ns() const { return first_ns_; }

 private:
  std::int64_t first_ns_ = 0;
  std::vector<std::uint32_t> rounds_;  // rank by rank
  std::vector<std::uint32_t> base_;    // of a rank's first node; empty: not known
};

}  // namespace convert
