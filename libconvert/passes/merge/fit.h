// SPDX-License-Identifier: MIT
// Describes a collective of a workload, and checks whether an algorithm implements it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "passes/merge/algorithm.h"
#include "passes/merge/merge.h"

namespace convert {

// Returns the group's pg_name; "0" for all spellings of the group of all ranks.
[[nodiscard]] std::string_view group_of(const NodeTable& table, const Node& node);
// Returns the rank that sends (broadcast, scatter) or gets the result (reduce, gather).
[[nodiscard]] IntValue root_of(std::span<const Attr> attrs, Collective type);
// Returns the first split list of an all-to-all with different sizes; the empty name if all sizes are equal.
[[nodiscard]] Name unequal_splits(const AttrTable& table, std::span<const Attr> attrs);
// Returns whether a node has no process group but involves only some dimensions of a network.
[[nodiscard]] bool involves_part_of_network(const NodeTable& table, const Node& node);
// Returns whether an algorithm that claims this collective is for calls of `type`; true if it claims none ("").
[[nodiscard]] bool same_collective(std::string_view claimed, Collective type);
// Returns the kind of calls, as rules name it, for an algorithm with this claim; "all" for other claims.
[[nodiscard]] std::string_view rule_kind(std::string_view claimed);
// Returns why an algorithm of the call's kind (see same_collective()) does not implement the call; empty if it
// does.
[[nodiscard]] std::string misfit(const MergeCall& call, const NodeTable& table, const Node& node,
                                 const MergeAlgorithm& algorithm);

}  // namespace convert
