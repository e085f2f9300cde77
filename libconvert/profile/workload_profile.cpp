// SPDX-License-Identifier: MIT
#include "profile/workload_profile.h"

namespace convert {

std::vector<std::uint32_t> dependency_lanes(const std::vector<NodeLane>& lanes) {
  std::vector<std::uint32_t> out;
  std::uint32_t thread = no_index;
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    const bool is_thread = lanes[l].kind == NodeLane::Kind::thread;
    if (is_thread && thread == no_index) thread = l;
    out.push_back(is_thread ? thread : l);
  }
  return out;
}

}  // namespace convert
