// SPDX-License-Identifier: MIT
// What a collective is, and whether an algorithm does it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "passes/merge/algorithm.h"
#include "passes/merge/merge.h"

namespace convert {

// "0" for the group of all ranks, however it is written.
[[nodiscard]] std::string_view group_of(const NodeTable& table, const Node& node);
// Of a broadcast or scatter the rank that sends, of a reduce or gather the one that gets the result.
[[nodiscard]] IntValue root_of(std::span<const Attr> attrs, Collective type);
// Of an all-to-all: the first of its lists of parts that are not all of a size; the empty name if there is none.
[[nodiscard]] Name unequal_splits(const AttrTable& table, std::span<const Attr> attrs);
// It has no group that says which ranks take part, but some dimensions of a network only.
[[nodiscard]] bool involves_part_of_network(const NodeTable& table, const Node& node);
// Whether an algorithm says that it is for such collectives; true if it says nothing, false if it is custom.
[[nodiscard]] bool same_collective(std::string_view algorithms, Collective type);
// The kind of collective that an algorithm says it is for, as rules name it; "all" if it says none of them.
[[nodiscard]] std::string_view rule_kind(std::string_view algorithms);
// Why an algorithm does not do what the collective does; empty if nothing speaks against it.
[[nodiscard]] std::string misfit(const MergeCall& call, const NodeTable& table, const Node& node,
                                 const MergeAlgorithm& algorithm);

}  // namespace convert
