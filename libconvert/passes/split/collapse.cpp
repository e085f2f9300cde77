// SPDX-License-Identifier: MIT
#include "passes/split/collapse.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "graph/graph.h"
#include "passes/provenance.h"

namespace convert {
namespace {

constexpr std::uint32_t none = 0xffffffff;

// The nodes that took the place of one collective.
struct Instance {
  NodeId id = 0;                     // the collective's
  std::vector<std::uint32_t> nodes;  // ascending by id
  std::uint32_t first = none;        // the one that says what the collective was
  std::uint32_t root = none;         // the first that waits for none of them
  std::vector<NodeId> sinks;         // none of them waits for these; ascending
};

class Collapse {
 public:
  explicit Collapse(Trace& trace)
      : trace_(trace), table_(trace.nodes), ids_(table_), of_(table_.nodes.size(), none) {}

  CollapseCounts run() {
    find_instances();
    if (instances_.empty()) return {};
    CollapseCounts counts{.collectives = instances_.size(), .nodes = 0};
    for (Instance& i : instances_) {
      counts.nodes += i.nodes.size();
      check_nodes(i);
      find_ends(i);
      check_deps(i);
    }
    write();
    return counts;
  }

 private:
  void find_instances();
  void check_nodes(Instance& i) const;
  void find_ends(Instance& i) const;
  void check_deps(const Instance& i) const;
  void write();
  void add_collective(const Instance& i);
  void add_deps(std::uint32_t node, std::uint32_t own);
  template <class Add>
  void fold(std::uint32_t node, std::span<const NodeId> deps, std::uint32_t own, const Add& add) const;

  [[nodiscard]] const Node& node(std::uint32_t i) const { return table_.nodes[i]; }
  [[nodiscard]] Error error(std::uint32_t i, const std::string& what) const {
    return input_error(location_of(trace_, i), "node " + std::to_string(node(i).id) + ": " + what, "collapse");
  }
  [[nodiscard]] std::string describe(const Instance& i) const {
    const auto attrs = table_.attributes(node(i.nodes.front()));
    return "merged collective " + std::to_string(i.id) + " (" +
           std::string(string_value(table_, attrs, attr::merged_name).value_or("")) + ")";
  }
  // The number of the instance that a node belongs to, or none.
  [[nodiscard]] std::uint32_t instance_of(NodeId id) const {
    const std::uint32_t i = ids_.find(id);
    return i == IdIndex::none ? none : of_[i];
  }
  [[nodiscard]] std::vector<NodeId> outside(std::span<const NodeId> deps, std::uint32_t own) const {
    std::vector<NodeId> out;
    for (const NodeId id : deps) {
      if (instance_of(id) != own) out.push_back(id);
    }
    return out;
  }
  [[nodiscard]] bool waits_inside(std::uint32_t i) const {
    const auto inside = [&](NodeId id) { return instance_of(id) == of_[i]; };
    const auto any = [&](std::span<const NodeId> deps) { return std::any_of(deps.begin(), deps.end(), inside); };
    return any(table_.data_deps(node(i))) || any(table_.ctrl_deps(node(i)));
  }

  Trace& trace_;
  const NodeTable& table_;
  IdIndex ids_;
  std::vector<std::uint32_t> of_;    // by node: into instances_, or none
  std::vector<Instance> instances_;  // ascending by the collective's id
  NodeTable out_;
};

void Collapse::find_instances() {
  std::map<NodeId, std::vector<std::uint32_t>> found;
  for (std::uint32_t i = 0; i < table_.nodes.size(); ++i) {
    const Attr* const from = find(table_.attributes(node(i)), attr::merged_from);
    if (from == nullptr) continue;
    if (!is_integer(from->kind)) throw error(i, "merged_from is no integer");
    found[from->bits].push_back(i);
  }
  for (auto& [id, nodes] : found) {
    for (const std::uint32_t i : nodes) of_[i] = static_cast<std::uint32_t>(instances_.size());
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return node(a).id < node(b).id; });
    instances_.push_back({.id = id, .nodes = std::move(nodes), .sinks = {}});
  }
}

// All of them are there, and no others: their ids follow each other, and the first says how many they are.
void Collapse::check_nodes(Instance& i) const {
  const auto counts = [&](std::uint32_t n) { return find(table_.attributes(node(n)), attr::merged_nodes); };
  const auto first = std::find_if(i.nodes.begin(), i.nodes.end(), counts);
  if (first == i.nodes.end())
    throw error(i.nodes.front(), "is of " + describe(i) +
                                     ", whose first node is missing: what the collective was is said there alone");
  i.first = *first;
  const IntValue count = int_value(counts(i.first));
  if (!count || count.value < 1) throw error(i.first, "merged_nodes is no number of nodes");
  const auto wanted = static_cast<std::uint64_t>(count.value);
  const NodeId first_id = node(i.first).id;
  for (std::size_t k = 0; k < i.nodes.size(); ++k) {
    const NodeId id = node(i.nodes[k]).id;
    if (id < first_id || id - first_id >= wanted || (k > 0 && id == node(i.nodes[k - 1]).id)) {
      throw error(i.nodes[k], "is none of the " + counted(wanted, "node") + " from " + std::to_string(first_id) +
                                  " that took the place of " + describe(i));
    }
  }
  if (i.nodes.size() == wanted) return;
  std::size_t k = 0;
  while (k < i.nodes.size() && node(i.nodes[k]).id == first_id + k) ++k;
  throw error(i.first, describe(i) + " has " + std::to_string(i.nodes.size()) + " of its " +
                           counted(wanted, "node") + ": node " + std::to_string(first_id + k) + " is missing");
}

void Collapse::find_ends(Instance& i) const {
  std::vector<bool> waited(i.nodes.size());
  const NodeId first_id = node(i.first).id;
  for (const std::uint32_t n : i.nodes) {
    for (const auto deps : {table_.data_deps(node(n)), table_.ctrl_deps(node(n))}) {
      for (const NodeId id : deps) {
        if (instance_of(id) == of_[n]) waited[id - first_id] = true;
      }
    }
    if (i.root == none && !waits_inside(n)) i.root = n;
  }
  for (std::size_t k = 0; k < waited.size(); ++k) {
    if (!waited[k]) i.sinks.push_back(first_id + k);
  }
  if (i.root == none || i.sinks.empty()) throw error(i.first, describe(i) + " waits for itself in a cycle");
}

// What waits for nothing inside waits for what the collective waited for; nothing else waits outside.
void Collapse::check_deps(const Instance& i) const {
  const std::uint32_t own = of_[i.root];
  const auto data = outside(table_.data_deps(node(i.root)), own);
  const auto ctrl = outside(table_.ctrl_deps(node(i.root)), own);
  for (const std::uint32_t n : i.nodes) {
    const auto own_data = outside(table_.data_deps(node(n)), own);
    const auto own_ctrl = outside(table_.ctrl_deps(node(n)), own);
    const bool begins = !waits_inside(n);
    if (begins ? own_data == data && own_ctrl == ctrl : own_data.empty() && own_ctrl.empty()) continue;
    throw error(n, begins ? "waits for other nodes than node " + std::to_string(node(i.root).id) +
                                ", which begins " + describe(i) + " too"
                          : "waits for nodes outside of " + describe(i) + " in the middle of it");
  }
}

// The ends of an instance, all of them and in order, are its collective.
template <class Add>
void Collapse::fold(std::uint32_t n, std::span<const NodeId> deps, std::uint32_t own, const Add& add) const {
  for (std::size_t k = 0; k < deps.size();) {
    const std::uint32_t at = instance_of(deps[k]);
    if (at == none || at == own) {
      if (at == none) add(deps[k]);
      ++k;
      continue;
    }
    const Instance& i = instances_[at];
    for (std::size_t s = 0; s < i.sinks.size(); ++s) {
      if (k + s < deps.size() && deps[k + s] == i.sinks[s]) continue;
      const bool is_sink = std::binary_search(i.sinks.begin(), i.sinks.end(), deps[k]);
      throw error(n, "depends on node " + std::to_string(deps[k]) + " of " + describe(i) +
                         (is_sink ? ", but not on its last nodes as they are: node " + std::to_string(i.sinks[s]) +
                                        " is missing or at another place"
                                  : ", which is not one of its last"));
    }
    add(i.id);
    k += i.sinks.size();
  }
}

void Collapse::add_deps(std::uint32_t n, std::uint32_t own) {
  fold(n, table_.data_deps(node(n)), own, [&](NodeId id) { out_.add_data_dep(id); });
  fold(n, table_.ctrl_deps(node(n)), own, [&](NodeId id) { out_.add_ctrl_dep(id); });
}

void Collapse::add_collective(const Instance& i) {
  if (const std::uint32_t twin = ids_.find(i.id); twin != IdIndex::none && of_[twin] == none)
    throw error(twin, "has the id of " + describe(i));
  const Node& first = node(i.first);
  const auto attrs = table_.attributes(first);
  const auto name = string_value(table_, attrs, attr::merged_name);
  if (!name) throw error(i.first, "merged_name is missing, or no text");
  Node& n = out_.add_node(i.id, NodeType::comm_coll, *name);
  add_deps(i.root, of_[i.root]);
  // Of several of one name the last is the time; those before it are attributes that the collective had.
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
    out_.add_copy(table_, a);
    out_.attrs.back().name = Name(key.substr(merged::prefix.size()));
  }
  n.inputs = out_.add_io(table_, first.inputs);
  n.outputs = out_.add_io(table_, first.outputs);
  n.extra = out_.add_extra(table_, first.extra);
  out_.end_node();
}

void Collapse::write() {
  std::size_t next = 0;
  for (std::uint32_t k = 0; k < table_.nodes.size(); ++k) {
    if (of_[k] != none) continue;
    const Node& from = node(k);
    while (next < instances_.size() && instances_[next].id <= from.id) add_collective(instances_[next++]);
    Node& n = out_.add_node(from.id, from.type, table_.name(from));
    n.start_us = from.start_us;
    n.duration_us = from.duration_us;
    add_deps(k, none);
    for (const Attr& a : table_.attributes(from)) out_.add_copy(table_, a);
    n.inputs = out_.add_io(table_, from.inputs);
    n.outputs = out_.add_io(table_, from.outputs);
    n.extra = out_.add_extra(table_, from.extra);
    out_.end_node();
  }
  while (next < instances_.size()) add_collective(instances_[next++]);
  trace_.nodes = std::move(out_);
}

}  // namespace

CollapseCounts collapse_collectives(Trace& trace) { return Collapse(trace).run(); }

}  // namespace convert
