// SPDX-License-Identifier: MIT
// Limits of the number of chunks of a shard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "synthesis/portfolio/candidates.h"

namespace convert {

// Limits for a problem in which one root, or each participant, has data for all others.
class PieceLimits {
 public:
  PieceLimits(const SynthesisProblem& problem, const SynthesisChoice& choice)
      : problem_(problem), choice_(choice), roots_(has_root(problem.collective) ? 1 : problem.size()) {}

  [[nodiscard]] bool allows(std::uint64_t pieces) const {
    if ((choice_.pieces && pieces != *choice_.pieces) || !fits_evenly(pieces)) return false;
    return pieces <= most_pieces() && pieces <= static_cast<std::uint64_t>(problem_.shard_bytes) &&
           moves_of_pieces(pieces) <= most_moves();
  }
  [[nodiscard]] bool fits_evenly(std::uint64_t pieces) const {
    return !choice_.even || problem_.shard_bytes % static_cast<std::int64_t>(pieces) == 0;
  }
  // Returns whether `trees` trees of a root are an acceptable number of chunks.
  [[nodiscard]] bool fits(std::uint32_t trees) const {
    return choice_.pieces ? *choice_.pieces % trees == 0 : allows(trees);
  }
  [[nodiscard]] std::uint64_t most_pieces() const { return times_roots(choice_.most_pieces); }
  // Returns `pieces` times the number of shards of each root: one root has the shards of all participants.
  [[nodiscard]] std::uint64_t times_roots(std::uint32_t pieces) const {
    return std::uint64_t{pieces} * (problem_.size() / roots_);
  }
  [[nodiscard]] std::uint64_t moves_of_pieces(std::uint64_t pieces) const {
    return roots_ * (problem_.size() - 1) * pieces;
  }
  // Large candidates are made only with effort best, or if there are no smaller ones.
  [[nodiscard]] std::uint64_t most_moves() const {
    const std::uint64_t least = moves_of_pieces(choice_.pieces.value_or(1));
    return choice_.effort == SynthesisEffort::best ? most_synthesized_moves : std::max(least, quick_moves);
  }

  // Returns the number of chunks into which a tree's data is split in the first evaluation: at most `usual` per
  // shard.
  [[nodiscard]] std::uint32_t first_split(std::uint32_t trees, std::uint32_t usual) const {
    std::uint32_t q = choice_.pieces ? *choice_.pieces / trees : 1;
    const std::uint64_t looked_at = times_roots(usual);
    while (!choice_.pieces && std::uint64_t{trees} * q < looked_at && allows(std::uint64_t{trees} * q * 2)) q *= 2;
    return q;
  }
  // Returns the possible numbers of chunks for a tree's data: powers of two, and the maximum.
  [[nodiscard]] std::vector<std::uint32_t> splits(std::uint32_t trees) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t q = 1; q <= most_pieces(); q *= 2) {
      if (allows(std::uint64_t{trees} * q)) out.push_back(q);
    }
    const auto most = static_cast<std::uint32_t>(most_pieces() / trees);
    if (choice_.pieces) {
      out.assign(*choice_.pieces % trees == 0 ? 1 : 0, *choice_.pieces / trees);
    } else if (most != 0 && (most & (most - 1)) != 0 && allows(std::uint64_t{trees} * most)) {
      out.push_back(most);
    }
    return out;
  }

 private:
  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  std::uint64_t roots_;
};

}  // namespace convert
