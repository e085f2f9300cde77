// SPDX-License-Identifier: MIT
// The attribute dep_rules of linked traces: why each data dependency of a node is there.
#pragma once

#include <optional>

#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// Returns the letter of a rule in dep_rules: p program_order, l launch, s stream_order, e event, y synchronisation,
// h hand_over, d data.
[[nodiscard]] char dep_rule_letter(DepRule rule);
// Returns the rule of a letter; nothing if it has none.
[[nodiscard]] std::optional<DepRule> dep_rule_of(char letter);

// Returns whether the rule only says in which order things ran, not what they need of each other.
[[nodiscard]] constexpr bool is_order(DepRule rule) { return rule != DepRule::data; }

// Returns the attribute dep_rules of a node; null if it is absent or has not one letter for each data dependency.
[[nodiscard]] const Attr* dep_rules_of(const NodeTable& table, const Node& node);

}  // namespace convert
