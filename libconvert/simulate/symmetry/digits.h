// SPDX-License-Identifier: MIT
// Cuts rank numbers into digits along which a program may be symmetric.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/program/program.h"

namespace convert {

// Is a part of a dimension of the network: rank / stride % base.
struct RankDigit {
  Rank stride = 1;
  std::uint32_t base = 1;
  std::size_t dim = 0;
  bool top =
      true;  // of its dimension: coordinates that differ in it by one are `stride` apart, modulo the dimension
};

// Returns the digits into which the dimensions of the network cut rank numbers; with `finer` also the strides and
// sizes of process groups, the distances of peers, and where ranks do the same, so that a shift that the plan of a
// workload allows is one of a digit.
[[nodiscard]] std::vector<RankDigit> rank_digits(const ReplayProgram& program, bool finer);

// Returns the rank whose digit is `by` higher, modulo its base.
[[nodiscard]] inline Rank moved(const RankDigit& d, Rank r, std::uint32_t by) {
  const std::uint32_t at = r / d.stride % d.base;
  return r + ((at + by) % d.base - at) * d.stride;  // modulo 2^32
}

}  // namespace convert
