// SPDX-License-Identifier: MIT
#include "passes/compat/link.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "passes/compat/dependencies.h"
#include "passes/compat/device.h"
#include "passes/compat/failure.h"

namespace convert {
namespace {

using compat::CpuOp;
using compat::DeviceTrace;
using compat::Number;
using compat::reference_fails;

constexpr NodeId root_id = 1;

constexpr std::array<std::string_view, 5> linked_schemas = {
    "1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.0.4-chakra.0.0.4", "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4"};

void check_schema(const Trace& host) {
  const auto schema = string_value(host.metadata.table, host.metadata.table.attrs, attr::schema);
  if (!schema) throw reference_fails(host.name, {}, "has no 'schema'", "KeyError");
  if (*schema == "1.0.1") {
    throw input_error(
        {.file = host.name},
        "has schema 1.0.1, which the reference program links but does not convert; omit --compat chakra");
  }
  if (std::ranges::find(linked_schemas, *schema) == linked_schemas.end()) {
    throw reference_fails(host.name, {}, "has schema " + std::string(*schema), "ValueError");
  }
}

class Linker {
 public:
  Linker(Trace& host, const Profile& device)
      : host_(host),
        nodes_(host.nodes),
        profile_(device),
        device_(compat::read_device_trace(device)),
        index_(compat::last_by_id(host.nodes)) {}

  void run() {
    check_callers();
    match();
    number();
    write();
  }

 private:
  struct Linked {
    std::uint32_t op = no_index;       // index into device_.cpu_ops
    std::uint32_t follows = no_index;  // index of a node
    NodeId new_id = 0;
  };

  [[nodiscard]] NodeId caller(std::size_t node) const { return nodes_.ctrl_deps(nodes_.nodes[node]).front(); }
  // Returns the node that counts among the nodes with this node's id.
  [[nodiscard]] std::uint32_t chosen(std::size_t node) const { return index_.find(nodes_.nodes[node].id); }

  void check_callers() const {
    if (index_.find(root_id) == no_index) throw reference_fails(host_.name, {}, "has no node 1", "KeyError");
    for (const Node& n : nodes_.nodes) {
      if (n.ctrl_deps.count != 1) {
        throw reference_fails(host_.name, n.id, "does not have exactly one caller in ctrl_deps",
                              "KeyError or TypeError");
      }
    }
  }

  // Returns for each node whether it is a descendant of node 1.
  [[nodiscard]] std::vector<bool> reachable() const {
    enum : std::uint8_t { unknown, in_progress, no, yes };
    std::vector<std::uint8_t> state(nodes_.nodes.size(), unknown);
    state[index_.find(root_id)] = yes;
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = 0; i < state.size(); ++i) {
      std::uint32_t at = chosen(i);
      while (at != no_index && state[at] == unknown) {
        state[at] = in_progress;
        path.push_back(at);
        at = index_.find(caller(at));
      }
      const std::uint8_t found = at != no_index && state[at] == yes ? yes : no;
      for (const std::uint32_t p : path) state[p] = found;
      path.clear();
    }
    std::vector<bool> result(state.size());
    for (std::size_t i = 0; i < state.size(); ++i) result[i] = state[i] == yes;
    return result;
  }

  void match() {
    order_.resize(nodes_.nodes.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    const auto by_id = [&](std::uint32_t a, std::uint32_t b) { return nodes_.nodes[a].id < nodes_.nodes[b].id; };
    if (!std::ranges::is_sorted(order_, by_id)) std::ranges::stable_sort(order_, by_id);
    linked_.resize(order_.size());
    const std::vector<bool> below_root = reachable();
    std::vector<std::uint32_t> node_of(device_.cpu_ops.size(), no_index);
    for (const std::uint32_t i : order_) {
      if (!below_root[i] || chosen(i) != i) continue;
      const IntValue rf_id = int_value(nodes_.attributes(nodes_.nodes[i]), attr::rf_id);
      if (!rf_id) continue;
      const std::uint32_t op = device_.by_rf_id.find(static_cast<std::uint64_t>(rf_id.value));
      if (op == no_index) continue;
      linked_[i].op = op;
      node_of[op] = i;
      const std::int64_t follows = device_.cpu_ops[op].follows;
      if (follows != 0) linked_[i].follows = node_of[device_.by_rf_id.find(static_cast<std::uint64_t>(follows))];
    }
  }

  // Returns the device operations that become nodes after node `i`.
  [[nodiscard]] std::span<const DeviceTrace::Launched> launched(std::uint32_t i) const {
    const std::uint32_t op = linked_[i].op;
    if (op == no_index) return {};
    return device_.launched_by(device_.cpu_ops[op].external_id);
  }

  void number() {
    for (std::size_t k = 0; k < order_.size(); ++k) {
      // Nodes with the same id share the new id and the device operations.
      const std::uint32_t i = chosen(order_[k]);
      if (k != 0 && chosen(order_[k - 1]) == i) continue;
      linked_[i].new_id = next_id_++;
      next_id_ += launched(i).size();
    }
  }

  void write() {
    std::size_t nodes = 0, attrs = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t own = nodes_.nodes[i].attrs.count + std::size_t{4};
      const std::size_t with = 1 + launched(chosen(i)).size();
      nodes += with;
      attrs += with * (own + 4);
    }
    out_nodes_.reserve(nodes);
    out_attrs_.attrs.reserve(attrs);
    out_deps_.reserve(nodes);
    phase_ = nodes_.add_text("X");
    kernel_ = nodes_.add_text("kernel");
    memcpy_ = nodes_.add_text("gpu_memcpy");
    for (std::size_t k = 0; k < order_.size();) {
      const std::uint32_t c = chosen(order_[k]);
      const std::size_t first = k;
      for (; k < order_.size() && chosen(order_[k]) == c; ++k) write_host_node(order_[k], linked_[c]);
      NodeId id = linked_[c].new_id;
      for (const DeviceTrace::Launched& l : launched(c))
        write_device_node(nodes_.nodes[order_[first]], ++id, linked_[c], profile_.device_ops[l.op]);
    }
    nodes_.nodes = std::move(out_nodes_);
    nodes_.attrs = std::move(out_attrs_.attrs);
    nodes_.deps = std::move(out_deps_);
    nodes_.positions.clear();
  }

  void begin_node(Node node, NodeId id, NodeId caller) {
    node.id = id;
    node.attrs.begin = static_cast<std::uint32_t>(out_attrs_.attrs.size());
    node.ctrl_deps = {static_cast<std::uint32_t>(out_deps_.size()), 1};
    out_deps_.push_back(caller);
    out_nodes_.push_back(node);
  }
  void end_node() {
    Node& node = out_nodes_.back();
    node.attrs.count = static_cast<std::uint32_t>(out_attrs_.attrs.size() - node.attrs.begin);
    if (out_attrs_.attrs.size() >= no_index || out_nodes_.size() >= no_index)
      throw input_error({.file = host_.name}, "is too large to link");
  }
  void copy_attrs(Range range) {
    const auto begin = nodes_.attrs.begin() + range.begin;
    out_attrs_.attrs.insert(out_attrs_.attrs.end(), begin, begin + range.count);
  }
  void add_number(Name name, Number n) {
    if (n.whole) {
      out_attrs_.add_int(name, Kind::int64_val, static_cast<std::int64_t>(n.value));
    } else {
      out_attrs_.add_double(name, n.value);
    }
  }
  void add_text(Name name, Text text) {
    out_attrs_.attrs.push_back({.name = name, .kind = Kind::string_val, .size = text.size, .bits = text.offset});
  }
  void add_times(Number inclusive, Number exclusive, Number start, const Linked& linked) {
    add_number(attr::inclusive_dur, inclusive);
    add_number(attr::exclusive_dur, exclusive);
    add_number(attr::ts, start);
    if (linked.follows != no_index)
      out_attrs_.add_int(attr::inter_thread_dep, Kind::int64_val,
                         static_cast<std::int64_t>(linked_[linked.follows].new_id));
  }

  void write_host_node(std::uint32_t i, const Linked& linked) {
    const Node& node = nodes_.nodes[i];
    begin_node(node, linked.new_id, new_caller(caller(i)));
    copy_attrs(node.attrs);
    if (linked.op != no_index) {
      const CpuOp& op = device_.cpu_ops[linked.op];
      add_times(op.duration, op.exclusive, op.start, linked);
    }
    end_node();
  }

  // Writes a copy of the host's node with some fields replaced.
  void write_device_node(const Node& host, NodeId id, const Linked& linked, const Profile::DeviceOp& op) {
    const std::string_view name = profile_.name(op);
    begin_node(host, id, linked.new_id);
    out_nodes_.back().name = nodes_.add_text(name);
    copy_attrs(host.attrs);
    const Number duration = compat::microseconds(op.duration_ns, op.whole_duration);
    add_times(duration, duration, compat::microseconds(op.start_ns, op.whole_start), linked);
    add_text(attr::cat, op.kind == DeviceOpKind::kernel ? kernel_ : memcpy_);
    add_text(attr::ph, phase_);
    if (op.has_stream) out_attrs_.add_int(attr::stream, Kind::int64_val, op.stream);
    if (name.find("ncclDevKernel") != std::string_view::npos) {
      static const Name group("Process Group Name");
      if (const auto value = string_value(profile_.args, profile_.args.view(op.args), group))
        add_text(attr::pg_name, nodes_.add_text(*value));
    }
    end_node();
  }

  // Returns the new id of a caller. Callers missing from the trace get unused ids.
  NodeId new_caller(NodeId id) {
    const std::uint32_t at = index_.find(id);
    if (at != no_index) return linked_[at].new_id;
    const auto [missing, added] = missing_.try_emplace(id, next_id_);
    if (added) ++next_id_;
    return missing->second;
  }

  Trace& host_;
  NodeTable& nodes_;
  const Profile& profile_;
  DeviceTrace device_;
  IdLookup index_;
  std::vector<std::uint32_t> order_;  // nodes by id
  std::vector<Linked> linked_;        // of each node; the chosen one counts if an id repeats
  NodeId next_id_ = 0;
  std::map<NodeId, NodeId> missing_;
  std::vector<Node> out_nodes_;
  AttrTable out_attrs_;
  std::vector<NodeId> out_deps_;
  Text phase_, kernel_, memcpy_;
};

}  // namespace

Trace link_like_reference(Trace host, const Profile& device) {
  check_schema(host);
  Linker(host, device).run();
  return host;
}

}  // namespace convert
