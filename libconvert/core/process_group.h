// SPDX-License-Identifier: MIT
// Process group of a training program: a name and the ranks that communicate under it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

struct ProcessGroup {
  std::string name;                    // "0", "default_pg", a hash
  std::string description{};           // "tp_group"
  std::vector<std::uint32_t> ranks{};  // as listed; empty: all ranks, or unknown
  std::uint32_t size = 0;              // 0: unknown
};

// Returns whether a host node lists process groups ("## process_group:init ##"); Chakra makes it METADATA.
[[nodiscard]] inline bool announces_groups(std::string_view node_name) {
  return node_name.find("process_group:init") != std::string_view::npos;
}

}  // namespace convert
