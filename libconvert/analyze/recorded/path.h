// SPDX-License-Identifier: MIT
// Critical path of a recorded set. A recording does not contain the reason why a node began when it did.
#pragma once

#include <vector>

#include "analyze/recorded/set.h"
#include "core/run.h"
#include "core/text_set.h"

namespace convert {

// Returns the steps from 0 to the end of the node that ends last; their times add up to this end exactly. The path
// goes back from a node to the predecessor that ended last: a dependency in the trace, the send of a receive, or
// the last caller of a collective. The time between this end and the start of the node has no reason in the trace;
// it is a separate step, `unexplained`. Adds the names of the nodes to `names`.
[[nodiscard]] std::vector<Run::Step> recorded_path(const RecordedSet& set, TextSet& names);

// Returns the lane in which a node is drawn; nothing for nodes that are not an activity.
[[nodiscard]] std::optional<Lane> recorded_lane(const NodeTable& table, const Node& node);

}  // namespace convert
