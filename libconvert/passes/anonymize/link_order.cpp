// SPDX-License-Identifier: MIT
#include "passes/anonymize/link_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/algorithm/link_way.h"
#include "core/attr_names.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

// First link of a send. Each repetition of a collective in a trace has its own sequence numbers.
struct FirstLink {
  std::int64_t scope;
  std::int64_t instance;  // of the merged collective
  std::int64_t to;        // rank
  std::uint32_t over;     // device at the far end of the link
  std::uint32_t repetition;
  std::int64_t turn;
  std::uint32_t node;  // index

  [[nodiscard]] auto link() const { return std::tuple(scope, instance, to, over, repetition); }
  [[nodiscard]] auto ends() const { return std::tuple(scope, instance, to); }
};

std::vector<FirstLink> first_links(const NodeTable& nodes) {
  std::vector<FirstLink> out;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint32_t, std::int64_t>, std::uint32_t> seen;
  for (std::uint32_t i = 0; i < nodes.nodes.size(); ++i) {
    if (nodes.nodes[i].type != NodeType::comm_send) continue;
    const auto attributes = nodes.attributes(nodes.nodes[i]);
    const auto way = link_way(nodes, attributes);
    if (!way || !way->problem.empty()) continue;
    FirstLink f{.scope = turn_scope(attributes),
                .instance = int_value(attributes, attr::merged_instance).value,
                .to = int_value(attributes, attr::comm_dst).value,
                .over = 0,
                .repetition = 0,
                .turn = way->turns.front(),
                .node = i};
    f.over = way->via.empty() ? static_cast<std::uint32_t>(f.to) : way->via.front();
    f.repetition = seen[{f.scope, f.instance, f.to, f.over, f.turn}]++;
    out.push_back(f);
  }
  return out;
}

void add_ctrl_dep(NodeTable& nodes, std::uint32_t node, NodeId parent) {
  Range& deps = nodes.nodes[node].ctrl_deps;
  const std::vector<NodeId> before(nodes.deps.data() + deps.begin, nodes.deps.data() + deps.begin + deps.count);
  const std::size_t begin = nodes.deps.size();
  if (begin + deps.count >= std::numeric_limits<std::uint32_t>::max())
    throw input_error({}, "a rank has more than 2^32 dependencies");
  nodes.deps.insert(nodes.deps.end(), before.begin(), before.end());
  nodes.deps.push_back(parent);
  deps = {static_cast<std::uint32_t>(begin), deps.count + 1};
}

}  // namespace

std::string scheduled_network_of(const Metadata& metadata) {
  constexpr std::size_t longest = 80;
  const auto id = string_value(metadata.table, metadata.table.attrs, scheduled_network);
  const bool plain = id && id->size() <= longest && id->find_first_not_of("0123456789abcdef.-") == id->npos;
  return plain ? std::string(*id) : std::string();
}

std::string scheduled_forwarding_of(const Metadata& metadata) {
  const std::string text(string_value(metadata.table, metadata.table.attrs, scheduled_forwarding).value_or(""));
  return text == "store" || text == "switches" || text == "cut" ? text : std::string();
}

void tell_turn_scopes(NodeTable& nodes) {
  for (const Node& n : nodes.nodes) {
    const auto attributes = nodes.attributes(n);
    if (find(attributes, attr::link_seq) == nullptr || find(attributes, attr::link_scope) != nullptr) continue;
    const Attr* const instance = find(attributes, attr::merged_instance);
    if (instance != nullptr)
      nodes.attrs[static_cast<std::size_t>(instance - nodes.attrs.data())].name = attr::link_scope;
  }
}

void wait_in_turn(NodeTable& nodes) {
  std::vector<FirstLink> sends = first_links(nodes);
  std::ranges::sort(sends, {}, [](const FirstLink& f) { return std::tuple(f.link(), f.turn, f.node); });
  std::unordered_map<NodeId, std::size_t> by_id;
  for (std::size_t k = 0; k < sends.size(); ++k) by_id[nodes.nodes[sends[k].node].id] = k;
  for (std::size_t k = 1; k < sends.size(); ++k) {
    const auto waits = [&](NodeId id) {
      const auto at = by_id.find(id);
      return at != by_id.end() && sends[at->second].ends() == sends[k].ends();
    };
    if (sends[k].link() != sends[k - 1].link()) continue;
    if (std::ranges::any_of(nodes.ctrl_deps(nodes.nodes[sends[k].node]), waits)) continue;
    add_ctrl_dep(nodes, sends[k].node, nodes.nodes[sends[k - 1].node].id);
  }
}

}  // namespace convert
