// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/collective.h"
#include "graph/graph.h"
#include "graph/messages.h"
#include "passes/merge/fit.h"
#include "passes/merge/merge.h"

namespace convert {

CollectiveCensus count_collectives(const NodeTable& table) {
  CollectiveCensus census;
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const std::uint32_t i : communication_order(table, build_graph(table))) {
    const Node& n = table.nodes[i];
    const auto attrs = table.attributes(n);
    if (n.type != NodeType::comm_coll) {
      const IntValue tag = int_value(attrs, attr::comm_tag);
      if (tag) census.highest_tag = std::max(census.highest_tag, tag.value);
      const IntValue instance = int_value(attrs, attr::merged_instance);
      if (instance) census.highest_instance = std::max(census.highest_instance, instance.value);
      continue;
    }
    const std::string_view name = group_of(table, n);
    auto at = census.groups.find(name);
    if (at == census.groups.end()) at = census.groups.emplace(std::string(name), CollectiveCensus::Group{}).first;
    ++at->second.calls;
    const IntValue type = int_value(attrs, attr::comm_type);
    const Collective kind = collective_of(type ? type.value : -1);
    const IntValue root = root_of(attrs, kind);
    if (!convert::name(kind).empty()) at->second.kinds.emplace(kind, root ? root.value : -1);
    const auto mix = [](std::uint64_t& digest, const IntValue& v) {
      digest = (digest ^ (v ? static_cast<std::uint64_t>(v.value) + 1 : 0)) * prime;
    };
    CollectiveCensus::Group& group = at->second;
    mix(group.digest, root);
    mix(group.digest, type);
    mix(group.digest, int_value(attrs, attr::comm_size));
    const Attr* const dims = find(attrs, attr::involved_dim);
    for (std::size_t d = 0; dims != nullptr && is_list(dims->kind) && d < table.list(*dims).size(); ++d)
      group.digest = (group.digest ^ (table.list(*dims)[d] + 1)) * prime;
    group.in_question = group.in_question || root || dims != nullptr || find(attrs, attr::send_splits) != nullptr ||
                        find(attrs, attr::recv_splits) != nullptr;
  }
  return census;
}

}  // namespace convert
