// SPDX-License-Identifier: MIT
// Lane of a slice that another tool recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/timeline.h"

namespace convert {

// Return the lane of a text: a lane name of etkit (including "send 2"); a node name that begins with a node type,
// such as "COMM_SEND_NODE_x"; a category of a profiler. Nothing if the text has no lane.
[[nodiscard]] std::optional<Lane> lane_by_name(std::string_view text);
[[nodiscard]] std::optional<Lane> lane_by_node_name(std::string_view name);
[[nodiscard]] std::optional<Lane> lane_by_category(std::string_view category);
// Returns the stream number in a device thread's name, such as "stream 7 (2)" or the profiler's "stream 7 7"; -1 if
// there is no stream.
[[nodiscard]] std::int32_t stream_by_name(std::string_view thread);
// Returns the lane of a node type; nothing for types without activity.
[[nodiscard]] std::optional<Lane> lane_of(NodeType type);

}  // namespace convert
