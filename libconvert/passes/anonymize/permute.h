// SPDX-License-Identifier: MIT
// Reorders the per-rank sizes of a call to match the new rank numbers.
#pragma once

#include "core/trace.h"
#include "passes/anonymize/survey.h"

namespace convert {

// Reorders send_splits and recv_splits of a node that still has its old group name. Ranks of groups from a groups
// file keep their positions, so their sizes are not reordered.
void permute_splits(const SetFacts& facts, NodeTable& nodes, const Node& node);

}  // namespace convert
