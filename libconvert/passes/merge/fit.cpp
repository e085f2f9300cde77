// SPDX-License-Identifier: MIT
#include "passes/merge/fit.h"

#include <algorithm>

#include "core/collective.h"
#include "core/words.h"

namespace convert {
namespace {

bool are_equal(const AttrTable& table, const Attr* list) {
  if (list == nullptr || !is_list(list->kind) || !is_integer(scalar_of(list->kind))) return true;
  const auto values = table.list(*list);
  return std::all_of(values.begin(), values.end(), [&](std::uint64_t v) { return v == values.front(); });
}

}  // namespace

Name unequal_splits(const AttrTable& table, std::span<const Attr> attrs) {
  for (const Name splits : {attr::send_splits, attr::recv_splits}) {
    if (!are_equal(table, find(attrs, splits))) return splits;
  }
  return {};
}

std::string_view group_of(const NodeTable& table, const Node& node) {
  const std::string_view name = string_value(table, table.attributes(node), attr::pg_name).value_or("0");
  return name.empty() ? std::string_view("0") : name;
}

IntValue root_of(std::span<const Attr> attrs, Collective type) {
  using enum Collective;
  if (type == broadcast || type == scatter) return int_value(attrs, attr::comm_src);
  if (type == reduce || type == gather) return int_value(attrs, attr::comm_dst);
  return {};
}

bool involves_part_of_network(const NodeTable& table, const Node& node) {
  const Attr* const dims = find(table.attributes(node), attr::involved_dim);
  if (group_of(table, node) != "0" || dims == nullptr || dims->kind != Kind::bool_list) return false;
  const auto values = table.list(*dims);
  return std::find(values.begin(), values.end(), 0U) != values.end();
}

bool same_collective(std::string_view claimed, Collective type) {
  if (claimed.empty()) return true;
  type = without_block(type);
  const auto own = parse_collective(claimed, in_algorithms);
  return own && (*own == Collective::all_to_allv ? type == Collective::all_to_all : *own == type);
}

std::string_view rule_kind(std::string_view claimed) {
  if (claimed.empty()) return "all";
  const auto known = parse_collective(claimed, in_algorithms);
  if (known == Collective::all_to_allv) return name(Collective::all_to_all);
  return known && in_traces(*known) ? name(*known) : "all";
}

std::string misfit(const MergeCall& call, const NodeTable& table, const Node& node,
                   const MergeAlgorithm& algorithm) {
  const auto attrs = table.attributes(node);
  if (call.root && algorithm.root && same_collective(algorithm.collective, call.type)) {
    const auto place = algorithm.root();
    if (place && *place != *call.root) {
      return "its root is member " + std::to_string(*call.root) + " of its group, but the root of " +
             algorithm.source + " is rank " + std::to_string(*place);
    }
  }
  if (!algorithm.relays.empty()) {
    return "rank " + std::to_string(algorithm.relays.front()) + " of " + algorithm.source +
           " only relays messages; the workload's rank would neither contribute nor receive data";
  }
  if (call.unequal) return "its comm_size differs between ranks; " + algorithm.source + " requires equal sizes";
  const Name splits = unequal_splits(table, attrs);
  if (call.type == Collective::all_to_all && splits != Name()) {
    return "its split sizes differ (" + std::string(splits.view()) + "); " + algorithm.source +
           " requires equal sizes";
  }
  if (involves_part_of_network(table, node))
    return "it involves only some dimensions of the network (involved_dim); use a process group to define its "
           "ranks";
  return "";
}

}  // namespace convert
