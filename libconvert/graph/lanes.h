// SPDX-License-Identifier: MIT
// Sorts the nodes of a rank into lanes: what runs one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

struct NodeLane {
  enum class Kind : std::uint8_t { threadblock, thread, stream, type };
  Kind kind = Kind::type;
  std::int64_t number = 0;  // of the threadblock, thread or stream; of a type its place among those of a rank
  friend auto operator<=>(const NodeLane&, const NodeLane&) = default;
};
// Returns "tb 3", "thread 1", "stream 7", "compute".
[[nodiscard]] std::string label(const NodeLane& lane);

// Returns the lane of a node: its threadblock (tb_id), else the stream of a node of the device, else its thread
// (tid), else its type, where computing on the CPU counts as a type of its own.
[[nodiscard]] NodeLane lane_of(const NodeTable& table, const Node& node);

// The lanes of a rank in the order of their rows, and the lane of each node as an index into them.
struct RankLanes {
  std::vector<NodeLane> lanes;
  std::vector<std::uint32_t> of_node;
};
[[nodiscard]] RankLanes lanes_of(const NodeTable& table);

}  // namespace convert
