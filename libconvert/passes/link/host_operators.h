// SPDX-License-Identifier: MIT
// Lists the nodes of the host trace in the order in which they began, with the numbers that distinguish them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// Integers of a host trace's node; 0 (rf_id and seq_id: -1) if absent.
struct HostIds {
  std::int64_t rf_id = -1;
  std::int64_t tid = 0;
  std::int64_t seq_id = -1;
  std::int64_t fw_tid = 0;
};
// Returns the integers of a node; a value that is not an int64 counts as absent.
[[nodiscard]] HostIds host_ids(const Trace& host, const Node& node);

// Returns whether a node of this name represents the process or a thread instead of an operator.
[[nodiscard]] bool is_structure(std::string_view name);

// Operators of the host trace.
struct HostOperators {
  struct Facts {
    std::int64_t rf_id = -1;
    std::int64_t sequence = -1;
    std::uint32_t thread = 0;  // into tids
    bool backward = false;
    bool structure = false;
  };
  std::vector<Facts> of_node;
  std::vector<std::uint32_t> by_id;    // nodes by id, which is the order in which they began
  std::vector<std::uint32_t> callers;  // by node
  std::vector<std::int64_t> tids;      // of the threads, ascending

  [[nodiscard]] std::int64_t tid(std::uint32_t node) const { return tids[of_node[node].thread]; }
};
// Returns the operators. Counts repeated ids and missing callers in `report`.
[[nodiscard]] HostOperators host_operators(const Trace& host, LinkReport& report);

}  // namespace convert
