// SPDX-License-Identifier: MIT
// View of a network from a group of its NPUs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "core/trace.h"

namespace convert {

// Network whose NPUs are the ranks of a group, in order. All other devices are switches: they forward data, but
// neither copy nor reduce it, because no trace would state this. Devices without through routes are omitted, in
// large networks also devices on detours only.
struct GroupNetwork {
  NetworkConfig network{};
  std::vector<Device> device{};  // device of the whole network, by device of this network

  // Returns a text that two groups share only if their networks are equal except for the device numbers of the
  // whole network: an algorithm for one is then valid for the other.
  [[nodiscard]] std::string text() const;
};

// Returns the network of a group; for all NPUs in order, the same network. The group's NPUs must exist, each once.
// Without `detours`, other NPUs forward nothing if the members can reach each other without them.
[[nodiscard]] GroupNetwork network_of_group(const WireGraph& whole, std::span<const Rank> group, bool detours,
                                            const std::string& source);

}  // namespace convert
