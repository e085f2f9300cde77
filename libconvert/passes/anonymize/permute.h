// SPDX-License-Identifier: MIT
// Puts what a call exchanges with each rank into the order of the new numbers of ranks.
#pragma once

#include "core/trace.h"
#include "passes/anonymize/survey.h"

namespace convert {

// Changes send_splits and recv_splits of a node that still has its old group. In groups of a file ranks keep their
// places.
void permute_splits(const SetFacts& facts, NodeTable& nodes, const Node& node);

}  // namespace convert
