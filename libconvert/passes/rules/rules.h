// SPDX-License-Identifier: MIT
// Declares the rules, one source file each. They report to `diagnostics`; validate.cpp runs them in the order of
// rules.def.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"

namespace convert::rules {

void check_ids(const Trace& trace, std::span<const GraphDefect> defects, Diagnostics& diagnostics);
void check_deps(const Trace& trace, std::span<const GraphDefect> defects, Diagnostics& diagnostics);
void check_cycles(const Trace& trace, const Graph& graph, Diagnostics& diagnostics);

// Returns false if the ranks are not 0…n-1; the set cannot be checked further then.
bool check_ranks(std::span<const TraceSummary> set, Diagnostics& diagnostics);
void check_peers(std::span<const TraceSummary> set, Diagnostics& diagnostics);
void check_pairs(std::span<const TraceSummary> set, Diagnostics& diagnostics);
// Checks the collectives across ranks. `groups`: null if unknown; `world`: as for check_set().
void check_collectives(std::span<const TraceSummary> set, const GroupLists* groups, std::size_t world,
                       Diagnostics& diagnostics);
// Checks that the groups of a single rank's collectives are defined, and that the rank is a member.
void check_memberships(const TraceSummary& rank, const GroupLists& groups, Diagnostics& diagnostics);
void check_deadlock(std::span<const TraceSummary> set, const GroupLists* groups, Diagnostics& diagnostics);
void check_turns(std::span<const TraceSummary> set, const GroupLists* groups, std::size_t world,
                 Diagnostics& diagnostics);

[[nodiscard]] inline std::string node_text(NodeId id) { return "node " + std::to_string(id); }
// Returns "1 → 2 → 4 → 1"; a long chain is reduced to its first and last entries.
[[nodiscard]] std::string chain_text(const std::vector<std::string>& entries);
// Returns the messages of a set by rank, for for_each_message_group().
[[nodiscard]] std::vector<const RankMessages*> messages_by_rank(std::span<const TraceSummary> set);

}  // namespace convert::rules
