// SPDX-License-Identifier: MIT
// Restricts a problem to a part of its network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/moves.h"
#include "synthesis/problem.h"

namespace convert {

// A problem with fewer links, which are renumbered.
struct NarrowedProblem {
  SynthesisProblem problem;
  std::vector<std::uint32_t> link{};  // index in the whole problem, by link

  // Replaces link numbers of moves by link numbers of the whole problem.
  void widen(Moves& moves) const {
    for (std::uint32_t& l : moves.links) l = link[l];
  }
};

// Returns the problem without the links at devices with left_out[device] != 0. Returns nothing if no link is at
// such a device, or if some participant can no longer reach another.
[[nodiscard]] std::optional<NarrowedProblem> without_devices(const SynthesisProblem& whole,
                                                             std::span<const std::uint8_t> left_out);

}  // namespace convert
