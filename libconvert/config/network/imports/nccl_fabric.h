// SPDX-License-Identifier: MIT
// Builds a network from the machines of an NCCL topology: copies them, and joins their network devices.
#pragma once

#include <optional>
#include <string>

#include "config/network/imports/nccl_machine.h"
#include "config/network/network.h"

namespace convert {

enum class NcclFabric : std::uint8_t { none, one_switch, rails, leaf_spine };

struct NcclJoining {
  NcclFabric fabric = NcclFabric::none;
  std::int64_t copies = 1;
  std::int64_t hosts_of_leaf = 1;
  double oversubscription = 1;  // of the links from a leaf to the spine
  Picoseconds nvlink_ps = 500 * ps_per_ns;
  Picoseconds pci_ps = 700 * ps_per_ns;
  std::optional<Picoseconds> net_ps{};  // empty: latency of the file, or 0
};

// Returns the network. NPU r of copy i is rank r of the file plus i times the number of ranks; switches that lead
// nowhere are omitted. Throws Error(input) if the network is too large, or an NPU cannot reach another.
[[nodiscard]] NetworkConfig join_nccl_machines(const std::string& name, NcclMachine machine,
                                               const NcclJoining& how);

}  // namespace convert
