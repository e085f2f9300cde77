// SPDX-License-Identifier: MIT
// Lets computations take as long as chance says, as they do on real machines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/trace.h"

namespace convert {

// Multiplies times by lognormal factors: one for each layer, the same on all ranks and in all iterations, one for
// each rank, one for each node. Each has the mean 1, so that noise makes no time longer or shorter on average: it
// is exp(σ z − σ²/2), z of the standard normal distribution. They depend on nothing but the seed, the rank and the
// numbers of the layer and the node.
struct Noise {
  // σ of each factor, about its relative standard deviation as long as it is small; 0: the factor is 1.
  double layer = 0;
  double rank = 0;
  double node = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] bool given() const { return layer > 0 || rank > 0 || node > 0; }
  // Returns the time of a node, at least 1 ns if `ns` is, at most 2^53 ns.
  [[nodiscard]] std::uint64_t time(std::uint64_t ns, Rank rank_number, NodeId node_id,
                                   std::optional<std::uint64_t> layer_number = std::nullopt) const;
};

inline constexpr double most_noise = 2;
// Reads {"layer=0.3", "rank=0.03"}; what is left out is 0. Throws Error(usage): an unknown key, one that stands
// twice, a value that is none from 0 to most_noise.
[[nodiscard]] Noise parse_noise(std::span<const std::string> settings);

}  // namespace convert
