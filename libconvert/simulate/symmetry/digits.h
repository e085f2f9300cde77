// SPDX-License-Identifier: MIT
// Splits rank numbers into digits along which a program may be symmetric.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/program/program.h"

namespace convert {

// Part of a dimension of the network: rank / stride % base.
struct RankDigit {
  Rank stride = 1;
  std::uint32_t base = 1;
  std::size_t dim = 0;
  bool top = true;  // highest digit of its dimension: adding 1 moves by `stride`, modulo the dimension
};

// Returns the digits into which the dimensions of the network split rank numbers. With `finer`, digits also follow
// the strides and sizes of process groups, the distances of peers, and runs of ranks with equal code. A shift that
// a workload's plan allows is then a shift of one digit.
[[nodiscard]] std::vector<RankDigit> rank_digits(const ReplayProgram& program, bool finer);

// Returns the rank whose digit is `by` higher, modulo its base.
[[nodiscard]] inline Rank moved(const RankDigit& d, Rank r, std::uint32_t by) {
  const std::uint32_t at = r / d.stride % d.base;
  return r + ((at + by) % d.base - at) * d.stride;  // modulo 2^32
}

}  // namespace convert
