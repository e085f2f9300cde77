// SPDX-License-Identifier: MIT
// Finds the critical path of what was recorded, which does not say why a node began when it did.
#pragma once

#include <vector>

#include "analyze/recorded/set.h"
#include "core/run.h"
#include "core/text_set.h"

namespace convert {

// Returns the steps from 0 to the end of the node that ends last; their times add up to that exactly. From a node
// the path goes back to what ended last of all that it depends on: by its trace, as a receive on its send, as a
// collective on the NPU that called it last. The time between that end and the node's begin, which no dependency
// explains, is a step of its own, `unexplained`. `names` gets the names of the nodes.
[[nodiscard]] std::vector<Run::Step> recorded_path(const RecordedSet& set, TextSet& names);

// Returns the lane in which a node is drawn; nothing for nodes that are no activity.
[[nodiscard]] std::optional<Lane> recorded_lane(const NodeTable& table, const Node& node);

}  // namespace convert
