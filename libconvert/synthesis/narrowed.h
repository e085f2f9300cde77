// SPDX-License-Identifier: MIT
// Narrows a problem to a part of its network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/moves.h"
#include "synthesis/problem.h"

namespace convert {

// A problem without some of its links, which are numbered anew.
struct NarrowedProblem {
  SynthesisProblem problem;
  std::vector<std::uint32_t> link{};  // of the whole, by link

  // Gives moves the links of the whole.
  void widen(Moves& moves) const {
    for (std::uint32_t& l : moves.links) l = link[l];
  }
};

// Returns the problem without the links at devices (by number) that are left out. Returns nothing where that leaves
// out no link, or some participant no longer reaches another.
[[nodiscard]] std::optional<NarrowedProblem> without_devices(const SynthesisProblem& whole,
                                                             std::span<const std::uint8_t> left_out);

}  // namespace convert
