// SPDX-License-Identifier: MIT
// Looks at a network from a group of its NPUs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "core/trace.h"

namespace convert {

// A network whose NPUs are the places of a group, in their order. All other devices are switches: they pass on what
// comes, and neither copy it nor add it up, as they have no trace that says so. Those that nothing can pass through
// are left out, of large networks also those that only detours reach.
struct GroupNetwork {
  NetworkConfig network{};
  std::vector<Device> device{};  // of the whole network, by device of this one

  // Returns a text that two groups share only if their networks are the same but for the numbers of devices of the
  // whole network: then what is made for one is right for the other.
  [[nodiscard]] std::string text() const;
};

// Returns the network of a group, of all NPUs in their order the same. Its NPUs must exist, each once. Without
// `detours` other NPUs pass nothing on if the members reach each other all the same.
[[nodiscard]] GroupNetwork network_of_group(const WireGraph& whole, std::span<const Rank> group, bool detours,
                                            const std::string& source);

}  // namespace convert
