// SPDX-License-Identifier: MIT
// Random variation of computation times, as on real machines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/trace.h"

namespace convert {

// Multiplies times by lognormal factors: one for each layer (equal on all ranks and in all iterations), one for
// each rank, and one for each node. Each factor has mean 1, so that noise does not change times on average: exp(σ z
// − σ²/2) with z of the standard normal distribution. Factors depend only on the seed, the rank, and the numbers of
// layer and node.
struct Noise {
  // σ of each factor, approximately its relative standard deviation if small; 0: the factor is 1.
  double layer = 0;
  double rank = 0;
  double node = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool given() const { return layer > 0 || rank > 0 || node > 0; }
  // Returns the time of a node in ns, at least 1 if `ns` is, at most 2^53.
  [[nodiscard]] std::uint64_t time(std::uint64_t ns, Rank rank_number, NodeId node_id,
                                   std::optional<std::uint64_t> layer_number = std::nullopt) const;
};

inline constexpr double most_noise = 2;
// Parses {"layer=0.3", "rank=0.03"}; missing keys are 0. Throws Error(usage) for an unknown or repeated key, and
// for a value that is not a number from 0 to most_noise.
[[nodiscard]] Noise parse_noise(std::span<const std::string> settings);

}  // namespace convert
