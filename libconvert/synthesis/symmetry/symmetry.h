// SPDX-License-Identifier: MIT
// Symmetries of a network: permutations of its NPUs that map the network to itself.
//
// Systems of equal parts number their NPUs in mixed radix: NPU 8 h + i is NPU i of host h, and the first coordinate
// of a torus or mesh varies fastest. The candidates rotate one digit of these numbers: n -> n with (n / stride) %
// length increased by one. The digit is the host in a system of rails, a dimension of a torus, or a bit of a
// hypercube. Several symmetries that rotate different digits generate a group. It is checked that each switch and
// each link has an image.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synthesis/problem.h"

namespace convert {

// A group of symmetries in which only the identity maps an NPU or a link to itself.
struct NetworkSymmetry {
  // By element, the identity first, and by device: its image.
  std::vector<std::vector<Device>> images{};
  std::vector<Device> roots{};  // the lowest participant of each class of NPUs that are images of each other
  std::vector<std::uint32_t> link_class{};  // by link: the lowest link of its class

  [[nodiscard]] std::uint32_t order() const { return static_cast<std::uint32_t>(images.size()); }
};

// Returns the largest group found; nothing if there is only the identity. Participants are mapped to participants.
// Takes time proportional to devices × elements + links × digits tried.
[[nodiscard]] std::optional<NetworkSymmetry> find_symmetry(const SynthesisProblem& problem);

}  // namespace convert
