// SPDX-License-Identifier: MIT
#include "passes/anonymize/permute.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/anonymize/kept.h"

namespace convert {

void permute_splits(const SetFacts& facts, NodeTable& nodes, const Node& node) {
  if (node.type != NodeType::comm_coll) return;
  const auto group = string_value(nodes, nodes.attributes(node), attr::pg_name).value_or("");
  const auto members = facts.unlisted.find(group == "0" ? std::string_view() : group);
  if (members == facts.unlisted.end()) return;
  for (const Attr& a : nodes.attributes(node)) {
    if (role_of(a.name) != AttributeRole::sizes || !fits(AttributeRole::sizes, a.kind) ||
        a.size != members->second.size())
      continue;
    std::vector<std::pair<Rank, std::uint64_t>> parts;
    for (std::uint32_t i = 0; i < a.size; ++i)
      parts.emplace_back(facts.rank(members->second[i]), nodes.numbers[a.bits + i]);
    std::ranges::sort(parts, {}, &std::pair<Rank, std::uint64_t>::first);
    for (std::uint32_t i = 0; i < a.size; ++i) nodes.numbers[a.bits + i] = parts[i].second;
  }
}

}  // namespace convert
