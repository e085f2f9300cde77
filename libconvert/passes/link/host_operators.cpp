// SPDX-License-Identifier: MIT
#include "passes/link/host_operators.h"

#include <algorithm>
#include <numeric>

#include "core/rows.h"
#include "graph/graph.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

// Returns the positions of the nodes by id; nodes with equal ids keep their order.
std::vector<std::uint32_t> in_order_of_ids(const std::vector<Node>& nodes) {
  const std::size_t n = nodes.size();
  NodeId most = 0;
  for (const Node& node : nodes) most = std::max(most, node.id);
  if (most >= 8 * n) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return nodes[a].id < nodes[b].id; });
    return order;
  }
  // Ids are mostly dense, so use counting.
  return rows_by_key(n, most + 1, [&](std::size_t i) { return static_cast<std::uint32_t>(nodes[i].id); }).items;
}

void take_facts(const Trace& host, HostOperators& out) {
  const std::vector<Node>& nodes = host.nodes.nodes;
  std::vector<std::int64_t> tids;
  tids.reserve(nodes.size());
  reserve_huge(out.of_node, nodes.size());
  for (const Node& node : nodes) {
    const HostIds ids = host_ids(host, node);
    tids.push_back(ids.tid);
    out.of_node.push_back({.rf_id = ids.rf_id,
                           .sequence = ids.seq_id,
                           .backward = ids.fw_tid > 0,
                           .structure = is_structure(host.nodes.name(node))});
    if (out.tids.empty() || out.tids.back() != ids.tid) out.tids.push_back(ids.tid);
  }
  std::sort(out.tids.begin(), out.tids.end());
  out.tids.erase(std::unique(out.tids.begin(), out.tids.end()), out.tids.end());
  for (std::size_t i = 0; i < tids.size(); ++i) {
    const auto at = std::lower_bound(out.tids.begin(), out.tids.end(), tids[i]);
    out.of_node[i].thread = static_cast<std::uint32_t>(at - out.tids.begin());
  }
}

void find_callers(const Trace& host, HostOperators& out, LinkReport& report) {
  const std::vector<Node>& nodes = host.nodes.nodes;
  const IdIndex index(host.nodes);
  assign_huge(out.callers, nodes.size(), no_index);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto deps = host.nodes.ctrl_deps(nodes[i]);
    if (deps.empty()) continue;
    if (deps[0] == nodes[i].id) {  // the process calls itself
      if (!out.of_node[i].structure) report.add(Unmatched::caller_later, nodes[i].id, host.nodes.name(nodes[i]));
      continue;
    }
    out.callers[i] = index.find(deps[0]);
    if (out.callers[i] == no_index) report.add(Unmatched::caller_missing, nodes[i].id, host.nodes.name(nodes[i]));
  }
}

}  // namespace

bool is_structure(std::string_view name) { return name.starts_with("[pytorch|profiler|"); }

HostIds host_ids(const Trace& host, const Node& node) {
  HostIds ids;
  for (const Attr& a : host.nodes.attributes(node)) {
    if (a.kind != Kind::int64_val) continue;
    const auto value = static_cast<std::int64_t>(a.bits);
    if (a.name == attr::rf_id) ids.rf_id = value;
    if (a.name == attr::tid) ids.tid = value;
    if (a.name == attr::seq_id) ids.seq_id = value;
    if (a.name == attr::fw_tid) ids.fw_tid = value;
  }
  return ids;
}

HostOperators host_operators(const Trace& host, LinkReport& report) {
  HostOperators out;
  const std::vector<Node>& nodes = host.nodes.nodes;
  take_facts(host, out);
  out.by_id = in_order_of_ids(nodes);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& node = nodes[out.by_id[i]];
    if (node.id == nodes[out.by_id[i - 1]].id)
      report.add(Unmatched::host_id_repeated, node.id, host.nodes.name(node));
  }
  find_callers(host, out, report);
  return out;
}

}  // namespace convert
