// SPDX-License-Identifier: MIT
// Tells the lane of a slice that another tool has recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/timeline.h"

namespace convert {

// Return the lane that a text names: one of ours ("send 2" too); a type of node that a name begins with, as
// "COMM_SEND_NODE_x"; a category of a profiler. Nothing if it names none.
[[nodiscard]] std::optional<Lane> lane_by_name(std::string_view text);
[[nodiscard]] std::optional<Lane> lane_by_node_name(std::string_view name);
[[nodiscard]] std::optional<Lane> lane_by_category(std::string_view category);
// Returns the number of a stream that a thread of a device is called by, as "stream 7 (2)" or the profiler's
// "stream 7 7"; -1: by none.
[[nodiscard]] std::int32_t stream_by_name(std::string_view thread);
// Returns the lane of a type of node; nothing for those that are no activity.
[[nodiscard]] std::optional<Lane> lane_of(NodeType type);

}  // namespace convert
