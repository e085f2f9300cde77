// SPDX-License-Identifier: MIT
// Finds the collectives and messages that a window contains for some of their ranks but not for all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/trace.h"
#include "graph/messages.h"

namespace convert {

// Communication of a rank: collectives by group, messages, and which nodes are in the window.
struct WindowCalls {
  Rank rank = 0;
  std::vector<bool> in{};                                     // by node
  std::map<std::string, std::vector<std::uint32_t>> calls{};  // nodes, in issue order
  RankMessages messages{};
};
[[nodiscard]] WindowCalls window_calls(const Trace& trace, std::vector<bool> in);

// Returns for each rank its nodes, ascending by index, that are in the window while another participating rank has
// its node outside. The n-th call of a group is one call on all ranks that call the group. Messages are paired as
// in for_each_message_pair(); messages with ranks outside the set are kept. Consumes the messages of `ranks`.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> find_partial_nodes(std::vector<WindowCalls>& ranks);

}  // namespace convert
