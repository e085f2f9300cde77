// SPDX-License-Identifier: MIT
// The attribute dep_rules of linked traces: why each data dependency of a node is there.
#pragma once

#include <optional>

#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// One letter for each data dependency, in their order: p program_order, l launch, s stream_order, e event,
// y synchronisation, h hand_over, d data.
[[nodiscard]] char dep_rule_letter(DepRule rule);
[[nodiscard]] std::optional<DepRule> dep_rule_of(char letter);

// Whether the rule says in which order things ran, not what they need of each other.
[[nodiscard]] constexpr bool is_order(DepRule rule) { return rule != DepRule::data; }

// The attribute, if it has a letter for each data dependency of the node; else null: what it says is of others.
[[nodiscard]] const Attr* dep_rules_of(const NodeTable& table, const Node& node);

}  // namespace convert
