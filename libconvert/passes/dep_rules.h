// SPDX-License-Identifier: MIT
// Reads the attribute dep_rules of linked traces: the reason of each data dependency of a node.
#pragma once

#include <optional>
#include <string_view>

#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// Letters of the reasons: program_order, launch, stream_order, event, synchronisation, hand_over, data.
inline constexpr std::string_view dep_rule_letters = "plseyhd";
static_assert(dep_rule_letters.size() == dep_rule_kinds);

// Returns the letter of a dependency reason.
[[nodiscard]] constexpr char dep_rule_letter(DepRule rule) {
  return dep_rule_letters[static_cast<std::size_t>(rule)];
}
// Returns the dependency reason of a letter, or nullopt if the letter is unknown.
[[nodiscard]] constexpr std::optional<DepRule> dep_rule_of(char letter) {
  const std::size_t at = dep_rule_letters.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<DepRule>(at));
}

// Returns whether a text has only letters of dependency reasons.
[[nodiscard]] constexpr bool is_dep_rules(std::string_view text) {
  return text.find_first_not_of(dep_rule_letters) == std::string_view::npos;
}

// Returns whether the reason is only an order of execution, not a flow of data.
[[nodiscard]] constexpr bool is_order(DepRule rule) { return rule != DepRule::data; }

// Returns the attribute dep_rules of a node, or null if it is absent or does not have one letter per data
// dependency.
[[nodiscard]] inline const Attr* dep_rules_of(const NodeTable& table, const Node& node) {
  const Attr* a = find(table.attributes(node), attr::dep_rules);
  return a != nullptr && a->kind == Kind::string_val && a->size == node.data_deps.count ? a : nullptr;
}

}  // namespace convert
