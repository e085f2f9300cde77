// SPDX-License-Identifier: MIT
// Finds symmetries of a network: turns of its NPUs after which it is the same.
//
// Systems that are built of like parts number their NPUs in mixed radix: NPU 8 h + i is the i-th of host h, and the
// first coordinate of a torus or mesh varies fastest. What is looked for turns one digit of these numbers, n -> n
// with (n / stride) % length one higher: the hosts of a system of rails, a dimension of a torus, of a hypercube a
// bit. Several of them that turn different digits make a group. Each switch must have its image, and each link:
// that is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synthesis/problem.h"

namespace convert {

// A group of symmetries of which only the identity leaves an NPU or a link where it is.
struct NetworkSymmetry {
  // By element, the identity first, and by device: where it comes to.
  std::vector<std::vector<Device>> images{};
  std::vector<Device> roots{};  // the lowest participant of each class of those that come to each other's place
  std::vector<std::uint32_t> link_class{};  // by link: the lowest link of its class

  [[nodiscard]] std::uint32_t order() const { return static_cast<std::uint32_t>(images.size()); }
};

// Returns the largest one found; nothing if there is none but the identity. Participants stay participants.
// Takes a time of devices × elements + links × digits that are tried.
[[nodiscard]] std::optional<NetworkSymmetry> find_symmetry(const SynthesisProblem& problem);

}  // namespace convert
