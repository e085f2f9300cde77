// SPDX-License-Identifier: MIT
#include "core/algorithm/link_way.h"

#include <limits>

#include "core/attr_names.h"
#include "core/units.h"

namespace convert {
namespace {

bool is_integer_list(const Attr& a) { return is_list(a.kind) && is_integer(scalar_of(a.kind)); }

}  // namespace

std::optional<LinkWay> link_way(const AttrTable& table, std::span<const Attr> attrs) {
  const Attr* const turns = find(attrs, attr::link_seq);
  const Attr* const via = find(attrs, attr::link_via);
  if (turns == nullptr && via == nullptr) return std::nullopt;
  LinkWay way;
  for (const Attr* a : {turns, via}) {
    if (a != nullptr && !is_integer_list(*a))
      way.problem = std::string(a->name.view()) + " is not a list of integers";
  }
  if (!way.problem.empty()) return way;
  if (turns != nullptr) {
    for (const std::uint64_t bits : table.list(*turns)) way.turns.push_back(static_cast<std::int64_t>(bits));
  }
  if (via != nullptr) {
    for (const std::uint64_t bits : table.list(*via)) {
      if (bits > std::numeric_limits<std::uint32_t>::max()) way.problem = "link_via has an invalid device number";
      way.via.push_back(static_cast<std::uint32_t>(bits));
    }
  }
  if (way.turns.size() != way.via.size() + 1) {
    way.problem = "link_seq has " + counted(way.turns.size(), "value") + ", but the route has " +
                  counted(way.via.size() + 1, "link");
  }
  return way;
}

std::int64_t turn_scope(std::span<const Attr> attrs) {
  const IntValue scope = int_value(attrs, attr::link_scope);
  return scope ? scope.value : int_value(attrs, attr::merged_instance).value;
}

bool keeps_link_order(const NodeTable& table, const Node& node, const Node& parent) {
  if (node.type != NodeType::comm_send || parent.type != NodeType::comm_send) return false;
  const auto a = table.attributes(node);
  const auto b = table.attributes(parent);
  return find(a, attr::link_seq) != nullptr && find(b, attr::link_seq) != nullptr &&
         int_value(a, attr::comm_dst).value == int_value(b, attr::comm_dst).value && turn_scope(a) == turn_scope(b);
}

}  // namespace convert
