// SPDX-License-Identifier: MIT
#include "passes/split/collapse.h"

#include <algorithm>
#include <array>
#include <utility>

#include "passes/provenance.h"

namespace convert {

const NodeParts& Collapse::parts() {
  static const NodeParts parts =
      NodeParts()
          .attributes(NodeParts::On::all, std::array{attr::merged_from, attr::merged_name})
          .whole(attr::merged_nodes)
          .positions();
  return parts;
}

Collapse::Collapse(const Trace& rank) : nodes_(rank.nodes), merged_(rank, "collapse") {
  counts_.collectives = merged_.size();
  for (std::uint32_t c = 0; c < merged_.size(); ++c) {
    counts_.nodes += merged_.all()[c].nodes.size();
    merged_.check(c);
  }
}

void Collapse::prove() {
  NodeTable out;
  for (const Node& node : nodes_.nodes) {
    fold_node(nodes_, node, out);
    out.clear();
  }
  finish(out);
  done_ = next_ = 0;
}

void Collapse::fold(const NodeTable& batch, NodeTable& out) {
  for (const Node& node : batch.nodes) fold_node(batch, node, out);
}

void Collapse::fold_node(const NodeTable& batch, const Node& node, NodeTable& out) {
  const std::uint32_t index = done_++;
  if (merged_.of(index) != no_index) return;
  while (next_ < merged_.size() && merged_.all()[next_].id <= node.id) add_collective(next_++, out);
  out.begin_copy(batch, node, node.id, node.type);
  add_deps(index, batch, node, no_index, out);
  for (const Attr& a : batch.attributes(node)) out.add_copy(batch, a);
  out.end_copy(batch, node);
}

void Collapse::finish(NodeTable& out) {
  while (next_ < merged_.size()) add_collective(next_++, out);
}

void Collapse::add_collective(std::uint32_t number, NodeTable& out) const {
  const MergedCollective& c = merged_.all()[number];
  if (const std::uint32_t twin = merged_.ids().find(c.id); twin != IdIndex::none && merged_.of(twin) == no_index)
    throw merged_.error(twin, "has the id of " + merged_.describe(number));
  merged_.restore(number, out);
  add_deps(c.root, nodes_, nodes_.nodes[c.root], number, out);
}

void Collapse::add_deps(std::uint32_t index, const NodeTable& table, const Node& node, std::uint32_t own,
                        NodeTable& out) const {
  merged_.fold(index, table.data_deps(node), own, [&](NodeId id) { out.add_data_dep(id); });
  merged_.fold(index, table.ctrl_deps(node), own, [&](NodeId id) { out.add_ctrl_dep(id); });
}

void Collapse::clean(Metadata& metadata) {
  // Remove the network of merged routes, unless the trace itself comes from a schedule.
  const bool scheduled = find(metadata.table.attrs, ten::schedule_name) != nullptr;
  std::erase_if(metadata.table.attrs, [&](const Attr& a) {
    return merged::program_of(a.name) >= 0 || (!scheduled && (a.name == ten::network || a.name == ten::forwarding));
  });
}

CollapseCounts collapse_collectives(Trace& trace) {
  Collapse collapse(trace);
  if (!collapse.any()) return collapse.counts();
  NodeTable out;
  collapse.fold(trace.nodes, out);
  collapse.finish(out);
  trace.nodes = std::move(out);
  Collapse::clean(trace.metadata);
  return collapse.counts();
}

}  // namespace convert
