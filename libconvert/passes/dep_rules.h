// SPDX-License-Identifier: MIT
// Reads the attribute dep_rules of linked traces, which says why each data dependency of a node is there.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// Letters of the rules: program_order, launch, stream_order, event, synchronisation, hand_over, data.
inline constexpr std::string_view dep_rule_letters = "plseyhd";
static_assert(dep_rule_letters.size() == dep_rule_kinds);

// Returns the letter of a rule in dep_rules.
[[nodiscard]] constexpr char dep_rule_letter(DepRule rule) {
  return dep_rule_letters[static_cast<std::size_t>(rule)];
}
// Returns the rule of a letter; nothing if it has none.
[[nodiscard]] constexpr std::optional<DepRule> dep_rule_of(char letter) {
  const std::size_t at = dep_rule_letters.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<DepRule>(at));
}

// Returns whether the rule only says in which order things ran, not what they need of each other.
[[nodiscard]] constexpr bool is_order(DepRule rule) { return rule != DepRule::data; }

// Returns the attribute dep_rules of a node; null if it is absent or has not one letter for each data dependency.
[[nodiscard]] inline const Attr* dep_rules_of(const NodeTable& table, const Node& node) {
  const Attr* a = find(table.attributes(node), attr::dep_rules);
  return a != nullptr && a->kind == Kind::string_val && a->size == node.data_deps.count ? a : nullptr;
}

}  // namespace convert
