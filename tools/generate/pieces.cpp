// SPDX-License-Identifier: MIT
#include "generate/pieces.h"

#include <algorithm>
#include <bit>

namespace tools {

using namespace convert;

std::int64_t element_bytes(const SynthesisProblem& problem) {
  std::int64_t bytes = 8;
  while (problem.shard_bytes % bytes != 0) bytes /= 2;
  return bytes;
}

bool has_whole_elements(const SynthesisProblem& problem, const Algorithm& algorithm) {
  return problem.bytes % (algorithm.chunks * element_bytes(problem)) == 0;
}

bool take_fewer_pieces(const SynthesisProblem& problem, std::int32_t chunks, double times,
                       SynthesisChoice& choice) {
  const auto fewer = [&](std::uint32_t pieces) {
    const double fitting = static_cast<double>(pieces) / std::max(times, 2.0);
    return std::max(1U, static_cast<std::uint32_t>(fitting));
  };
  if (choice.pieces == 1U) return false;
  const auto made = static_cast<std::uint32_t>(chunks);
  const std::uint32_t of_part = std::clamp((made + problem.size() - 1) / problem.size(), 1U, choice.most_pieces);
  if (!choice.pieces && of_part > 1) {
    choice.most_pieces = fewer(of_part);
  } else {
    // A root has at least as many pieces as there are shards, unless the user requests fewer.
    choice.pieces = has_root(problem.collective) ? std::bit_floor(fewer(made)) : 1U;
  }
  return true;
}

}  // namespace tools
