// SPDX-License-Identifier: MIT
// Lanes of a rank's nodes. The nodes of a lane run one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace.h"

namespace convert {

struct NodeLane {
  enum class Kind : std::uint8_t { threadblock, thread, stream, type };
  Kind kind = Kind::type;
  std::int64_t number = 0;  // number of the threadblock, thread or stream; for a type, its row among the types
  friend auto operator<=>(const NodeLane&, const NodeLane&) = default;
};
// Returns a label: "tb 3", "thread 1", "stream 7", "compute".
[[nodiscard]] std::string label(const NodeLane& lane);

// Returns the lane of a node: its threadblock (tb_id), else the stream of a device node, else its thread (tid),
// else its type. Compute on the CPU counts as a separate type.
[[nodiscard]] NodeLane lane_of(const NodeTable& table, const Node& node);

// The lanes of a rank in row order, and the lane of each node as an index into `lanes`.
struct RankLanes {
  std::vector<NodeLane> lanes;
  std::vector<std::uint32_t> of_node;
};
[[nodiscard]] RankLanes lanes_of(const NodeTable& table);

}  // namespace convert
