// SPDX-License-Identifier: MIT
// Finds the collectives and messages that a window holds of some of their ranks and not of all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/trace.h"
#include "graph/messages.h"

namespace convert {

// What a rank communicates: its collectives by group, its messages, and which nodes are in the window.
struct WindowCalls {
  Rank rank = 0;
  std::vector<bool> in{};                                     // by node
  std::map<std::string, std::vector<std::uint32_t>> calls{};  // nodes, in the order of issue
  RankMessages messages{};
};
[[nodiscard]] WindowCalls window_calls(const Trace& trace, std::vector<bool> in);

// Returns for each rank its nodes, ascending by index, that are in the window while another rank that takes part
// has its own outside. The number-th call of a group is one call on all ranks that call the group; messages meet as
// for_each_message_pair() has them, those with ranks beyond the set stay. Takes the messages away.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> find_partial_nodes(std::vector<WindowCalls>& ranks);

}  // namespace convert
