// SPDX-License-Identifier: MIT
// Describes a process group as a training program does: which ranks communicate under which name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convert {

struct ProcessGroup {
  std::string name;                    // "0", "default_pg", a hash
  std::string description{};           // "tp_group"
  std::vector<std::uint32_t> ranks{};  // as listed; empty: all ranks, or not told
  std::uint32_t size = 0;              // 0: not told
};

// Returns whether a host node lists process groups ("## process_group:init ##"); Chakra makes it METADATA.
[[nodiscard]] inline bool announces_groups(std::string_view node_name) {
  return node_name.find("process_group:init") != std::string_view::npos;
}

}  // namespace convert
