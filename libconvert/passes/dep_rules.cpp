// SPDX-License-Identifier: MIT
#include "passes/dep_rules.h"

namespace convert {
namespace {

constexpr std::string_view letters = "plseyhd";
static_assert(letters.size() == dep_rules);

}  // namespace

char dep_rule_letter(DepRule rule) { return letters[static_cast<std::size_t>(rule)]; }

std::optional<DepRule> dep_rule_of(char letter) {
  const std::size_t at = letters.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<DepRule>(at));
}

const Attr* dep_rules_of(const NodeTable& table, const Node& node) {
  const Attr* a = find(table.attributes(node), attr::dep_rules);
  return a != nullptr && a->kind == Kind::string_val && a->size == node.data_deps.count ? a : nullptr;
}

}  // namespace convert
