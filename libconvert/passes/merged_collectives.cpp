// SPDX-License-Identifier: MIT
#include "passes/merged_collectives.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/units.h"
#include "passes/provenance.h"

namespace convert {

MergedCollectives::MergedCollectives(const Trace& trace, std::string rule)
    : trace_(trace), table_(trace.nodes), rule_(std::move(rule)), ids_(table_), of_(table_.nodes.size(), no_index) {
  std::map<NodeId, std::vector<std::uint32_t>> found;
  for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) {
    const Attr* const from = find(table_.attributes(node(i)), attr::merged_from);
    if (from == nullptr) continue;
    if (!is_integer(from->kind)) throw error(i, "merged_from is not an integer");
    found[from->bits].push_back(i);
  }
  for (auto& [id, nodes] : found) {
    for (const std::uint32_t i : nodes) of_[i] = static_cast<std::uint32_t>(all_.size());
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return node(a).id < node(b).id; });
    all_.push_back({.id = id, .nodes = std::move(nodes), .sinks = {}});
  }
}

Error MergedCollectives::error(std::uint32_t i, const std::string& what) const {
  return input_error(location_of(trace_, i), "node " + std::to_string(node(i).id) + ": " + what, rule_);
}

std::string MergedCollectives::describe(const MergedCollective& c) const {
  const auto attrs = table_.attributes(node(c.nodes.front()));
  return "merged collective " + std::to_string(c.id) + " (" +
         std::string(string_value(table_, attrs, attr::merged_name).value_or("")) + ")";
}

std::vector<NodeId> MergedCollectives::outside(std::span<const NodeId> deps, std::uint32_t own) const {
  std::vector<NodeId> out(deps.begin(), deps.end());
  std::erase_if(out, [&](NodeId id) { return of_id(id) == own; });
  return out;
}

bool MergedCollectives::waits_inside(std::uint32_t i) const {
  const auto inside = [&](NodeId id) { return of_id(id) == of_[i]; };
  const auto any = [&](std::span<const NodeId> deps) { return std::any_of(deps.begin(), deps.end(), inside); };
  return any(table_.data_deps(node(i))) || any(table_.ctrl_deps(node(i)));
}

void MergedCollectives::check(std::uint32_t number) {
  check_nodes(all_[number]);
  find_ends(all_[number]);
  check_deps(all_[number]);
}

// Checks that the nodes are complete: their ids are consecutive, and the first node records their number.
void MergedCollectives::check_nodes(MergedCollective& c) const {
  const auto counts = [&](std::uint32_t n) { return find(table_.attributes(node(n)), attr::merged_nodes); };
  const auto first = std::find_if(c.nodes.begin(), c.nodes.end(), counts);
  if (first == c.nodes.end())
    throw error(c.nodes.front(), "belongs to " + describe(c) +
                                     ", whose first node is missing; only that node describes the collective");
  c.first = *first;
  const IntValue count = int_value(counts(c.first));
  if (!count || count.value < 1) throw error(c.first, "merged_nodes is not a positive number");
  const auto wanted = static_cast<std::uint64_t>(count.value);
  const NodeId first_id = node(c.first).id;
  for (std::size_t k = 0; k < c.nodes.size(); ++k) {
    const NodeId id = node(c.nodes[k]).id;
    if (id < first_id || id - first_id >= wanted || (k > 0 && id == node(c.nodes[k - 1]).id)) {
      throw error(c.nodes[k], "is not one of the " + counted(wanted, "node") + " from " + std::to_string(first_id) +
                                  " that replaced " + describe(c));
    }
  }
  if (c.nodes.size() == wanted) return;
  std::size_t k = 0;
  while (k < c.nodes.size() && node(c.nodes[k]).id == first_id + k) ++k;
  throw error(c.first, describe(c) + " has " + std::to_string(c.nodes.size()) + " of its " +
                           counted(wanted, "node") + ": node " + std::to_string(first_id + k) + " is missing");
}

void MergedCollectives::find_ends(MergedCollective& c) const {
  std::vector<bool> waited(c.nodes.size());
  const NodeId first_id = node(c.first).id;
  for (const std::uint32_t n : c.nodes) {
    for (const auto deps : {table_.data_deps(node(n)), table_.ctrl_deps(node(n))}) {
      for (const NodeId id : deps) {
        if (of_id(id) == of_[n]) waited[id - first_id] = true;
      }
    }
    if (c.root == no_index && !waits_inside(n)) c.root = n;
  }
  for (std::size_t k = 0; k < waited.size(); ++k) {
    if (!waited[k]) c.sinks.push_back(first_id + k);
  }
  if (c.root == no_index || c.sinks.empty()) throw error(c.first, describe(c) + " contains a dependency cycle");
}

// Checks dependencies on nodes outside: only first nodes may have them, and all have the ones of the collective.
void MergedCollectives::check_deps(const MergedCollective& c) const {
  const std::uint32_t own = of_[c.root];
  const auto data = outside(table_.data_deps(node(c.root)), own);
  const auto ctrl = outside(table_.ctrl_deps(node(c.root)), own);
  for (const std::uint32_t n : c.nodes) {
    const auto own_data = outside(table_.data_deps(node(n)), own);
    const auto own_ctrl = outside(table_.ctrl_deps(node(n)), own);
    const bool begins = !waits_inside(n);
    if (begins ? own_data == data && own_ctrl == ctrl : own_data.empty() && own_ctrl.empty()) continue;
    throw error(n, begins ? "depends on other nodes than node " + std::to_string(node(c.root).id) +
                                ", which begins " + describe(c) + " as well"
                          : "depends on nodes outside of " + describe(c) + ", but is not one of its first nodes");
  }
}

void MergedCollectives::refuse(std::uint32_t n, NodeId on, std::uint32_t of, NodeId sink) const {
  const MergedCollective& c = all_[of];
  const bool is_sink = std::binary_search(c.sinks.begin(), c.sinks.end(), on);
  throw error(n, "depends on node " + std::to_string(on) + " of " + describe(c) +
                     (is_sink ? ", but not on all its last nodes in order: node " + std::to_string(sink) +
                                    " is missing or at another position"
                              : ", which is not one of its last nodes"));
}

void MergedCollectives::restore(std::uint32_t number, NodeTable& out) const {
  const MergedCollective& c = all_[number];
  const Node& first = node(c.first);
  const auto attrs = table_.attributes(first);
  const auto name = string_value(table_, attrs, attr::merged_name);
  if (!name) throw error(c.first, "merged_name is missing or is not a text");
  Node& n = out.add_node(c.id, NodeType::comm_coll, *name);
  // The last attribute of that name is the time; earlier ones are the collective's own.
  const auto time = [&](Name key) {
    const Attr* last = nullptr;
    for (const Attr& a : attrs) {
      if (a.name == key && a.kind == Kind::uint64_val) last = &a;
    }
    return last;
  };
  const Attr* const start = time(merged::start_time_micros);
  const Attr* const duration = time(merged::duration_micros);
  if (start != nullptr) n.start_us = start->bits;
  if (duration != nullptr) n.duration_us = duration->bits;
  for (const Attr& a : attrs) {
    const std::string_view key = a.name.view();
    if (!key.starts_with(merged::prefix) || &a == start || &a == duration) continue;
    out.add_copy(table_, a);
    out.attrs.back().name = Name(key.substr(merged::prefix.size()));
  }
  out.end_copy(table_, first);
}

}  // namespace convert
