// SPDX-License-Identifier: MIT
#include "passes/compat/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/found_attrs.h"
#include "core/process_group.h"
#include "passes/compat/comm.h"
#include "passes/compat/dependencies.h"
#include "passes/compat/failure.h"

namespace convert {
namespace {

using compat::Entry;
using compat::reference_fails;

constexpr std::array<std::string_view, 4> schemas = {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4",
                                                     "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4"};
constexpr std::array<std::string_view, 2> thread_names = {"[pytorch|profiler|execution_trace|thread]",
                                                          "[pytorch|profiler|execution_graph|thread]"};
// Attributes that would replace a node's own fields.
constexpr std::array<std::string_view, 8> reserved = {"id",      "name",     "parent",       "inputs",
                                                      "outputs", "children", "gpu_children", "comm_size"};

// Attributes that are read, if a node has them; the first of each name.
constexpr std::array used = {attr::rf_id,  attr::fw_parent, attr::seq_id, attr::scope,        attr::tid,
                             attr::fw_tid, attr::op_schema, attr::stream, attr::exclusive_dur};
constexpr std::size_t usual_integers = 6;
using Found = FoundAttrs<used>;

class Converter {
 public:
  explicit Converter(Trace& trace) : trace_(trace), nodes_(trace.nodes), index_(compat::last_by_id(trace.nodes)) {}

  void run() {
    read_entries();
    compat::Children children(nodes_.nodes, entries_, order_);
    emit(children);
    children.sort_by_id(nodes_.nodes);
    compat::add_dependencies(trace_, entries_, children, emitted_);
    std::vector<std::uint32_t> kept = compat::without_loose_nodes(entries_, index_, emitted_);
    compat::check_dependencies(trace_, entries_, index_, kept);
    const auto by_id = [&](std::uint32_t a, std::uint32_t b) { return nodes_.nodes[a].id < nodes_.nodes[b].id; };
    if (!std::ranges::is_sorted(kept, by_id)) std::ranges::sort(kept, by_id);
    write(kept);
  }

 private:
  // Result of converting a node.
  struct Result {
    NodeType type = NodeType::comp;
    bool has_caller = false;
    Collective collective = Collective::all_reduce;
    std::uint64_t duration_us = 0;
    std::int64_t comm_size = 0;
    Text group;
  };

  [[noreturn]] void fail(std::uint32_t node, std::string_view what, std::string_view how) const {
    throw reference_fails(trace_.name, nodes_.nodes[node].id, what, how);
  }

  // Keeps the last of the nodes with the same id, at the position of the first.
  void read_entries() {
    const std::size_t n = nodes_.nodes.size();
    entries_.resize(n);
    results_.resize(n);
    order_.reserve(n);
    std::vector<bool> seen(index_.repeated() ? n : 0);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t chosen = static_cast<std::uint32_t>(i);
      if (index_.repeated()) {
        chosen = index_.find(nodes_.nodes[i].id);
        if (seen[chosen]) continue;
        seen[chosen] = true;
      }
      order_.push_back(chosen);
      read_entry(chosen);
    }
  }

  void read_entry(std::uint32_t i) {
    const Node& node = nodes_.nodes[i];
    Entry& e = entries_[i];
    if (node.ctrl_deps.count != 1)
      fail(i, "does not have exactly one caller in ctrl_deps", "KeyError or TypeError");
    e.parent = index_.find(nodes_.ctrl_deps(node).front());
    const auto attrs = nodes_.attributes(node);
    e.device = find(attrs, attr::cat) != nullptr;
    const std::string_view name = nodes_.name(node);
    e.thread = std::ranges::find(thread_names, name) != thread_names.end();
    if (const Attr* follows = find(attrs, attr::inter_thread_dep)) {
      const IntValue value = int_value(follows);
      if (!value || value.value < 0)
        fail(i, "has an inter_thread_dep that is not an id", "TypeError or ValueError");
      e.follows = static_cast<NodeId>(value.value);
    }
    if (announces_groups(name)) {
      if (e.device) fail(i, "is a device operation that creates process groups", "undefined");
      results_[i].type = NodeType::metadata;
    }
  }

  void emit(const compat::Children& children) {
    emitted_.reserve(nodes_.nodes.size());
    for (const std::uint32_t i : order_) {
      if (entries_[i].device) continue;
      emit(i);
      for (const std::uint32_t child : children.of(i)) {
        if (!entries_[child].device) continue;
        emit(child);
        set_comm(child);
      }
    }
  }

  void emit(std::uint32_t i) {
    const Node& node = nodes_.nodes[i];
    Result& r = results_[i];
    const Found found(nodes_.attributes(node));
    r.has_caller = entries_[i].parent != no_index && entries_[entries_[i].parent].emitted;
    for (std::size_t k = 0; k < usual_integers; ++k) {
      if (found[used[k]] == nullptr) fail(i, "has no " + std::string(used[k].view()), "AttributeError");
      if (!int_value(found[used[k]]))
        fail(i, "has a " + std::string(used[k].view()) + " that is not an int64", "TypeError or ValueError");
    }
    if (found[attr::op_schema] == nullptr) fail(i, "has no op_schema", "AttributeError");
    if (found[attr::op_schema]->kind != Kind::string_val)
      fail(i, "has an op_schema that is not a text", "TypeError");
    if (found[attr::stream] != nullptr && !int_value(found[attr::stream]))
      fail(i, "has a stream that is not an integer", "TypeError");
    check_io(i, node.inputs, "inputs");
    check_io(i, node.outputs, "outputs");
    for (const Attr& a : nodes_.attributes(node)) {
      if (a.name.index() < attr::count && a.name != attr::comm_size && a.name != attr::inputs &&
          a.name != attr::outputs)
        continue;
      if (std::ranges::find(reserved, a.name.view()) != reserved.end())
        fail(i, "has an attribute called " + std::string(a.name.view()), "it replaces the node's own field");
    }
    r.duration_us = duration(i, found[attr::exclusive_dur]);
    if (nodes_.name(node).find("Optimizer.step") != std::string_view::npos) r.duration_us = 0;
    entries_[i].emitted = true;
    emitted_.push_back(i);
  }

  void check_io(std::uint32_t i, std::uint32_t io, std::string_view what) const {
    if (io != 0) {
      const IoInfo& info = nodes_.io[io - 1];
      if (info.values.size != 0 && info.shapes.size != 0 && info.types.size != 0) return;
    }
    fail(i, "has no " + std::string(what) + ", or lacks its values, shapes or types", "KeyError");
  }

  [[nodiscard]] std::uint64_t duration(std::uint32_t i, const Attr* exclusive) const {
    if (exclusive == nullptr) return 0;
    if (exclusive->kind == Kind::double_val) {
      const double value = std::trunc(std::bit_cast<double>(exclusive->bits));
      if (value >= 0 && value < 0x1p64) return static_cast<std::uint64_t>(value);
    } else if (const IntValue value = int_value(exclusive); value && value.value >= 0) {
      return static_cast<std::uint64_t>(value.value);
    }
    fail(i, "has an exclusive_dur that is not a duration", "ValueError");
  }

  [[nodiscard]] Text group_of(std::uint32_t i) const {
    const Attr* a = find(nodes_.attributes(nodes_.nodes[i]), attr::pg_name);
    if (a == nullptr) return {};
    if (a->kind != Kind::string_val) fail(i, "has a pg_name that is not a text", "TypeError");
    return {a->bits, a->size};
  }

  // Sets type, size and process group of a device operation below an operator.
  void set_comm(std::uint32_t i) {
    const std::string_view name = nodes_.name(nodes_.nodes[i]);
    Result& r = results_[i];
    const bool is_nccl =
        name.find("ncclKernel") != std::string_view::npos || name.find("ncclDevKernel") != std::string_view::npos;
    if (!is_nccl) return;
    r.group = group_of(i);
    r.type = NodeType::comm_coll;
    if (name.find("ncclDevKernel_SendRecv") != std::string_view::npos) set_peer_type(i);
    const IoInfo& inputs = nodes_.io[nodes_.nodes[i].inputs - 1];
    const auto bytes = compat::input_bytes(nodes_.view(inputs.values), nodes_.view(inputs.types));
    if (!bytes) fail(i, "has inputs whose bytes cannot be counted", "IndexError, TypeError or ValueError");
    r.comm_size = *bytes;
    if (r.type != NodeType::comm_coll) return;
    const auto type = compat::collective_type(name);
    if (!type) fail(i, "'" + std::string(name) + "' is an unknown collective", "ValueError");
    r.collective = *type;
  }

  // A kernel for sends and receives gets its type from the name of the operator above it.
  void set_peer_type(std::uint32_t i) {
    const std::uint32_t launcher = entries_[i].parent;
    std::uint32_t caller = launcher;
    if (nodes_.name(nodes_.nodes[launcher]) == "record_param_comms") {
      caller = entries_[launcher].parent;
      if (caller == no_index) fail(launcher, "has a caller that does not exist", "KeyError");
      const Text group = group_of(launcher);
      if (group.size != 0) results_[i].group = group;
    }
    const std::string_view keyword = nodes_.name(nodes_.nodes[caller]);
    if (keyword.find("send") != std::string_view::npos) {
      results_[i].type = NodeType::comm_send;
    } else if (keyword.find("recv") != std::string_view::npos) {
      results_[i].type = NodeType::comm_recv;
    }
  }

  void write(const std::vector<std::uint32_t>& kept) {
    std::vector<Node> nodes;
    std::vector<NodeId> deps;
    AttrTable out;
    nodes.reserve(kept.size());
    deps.reserve(3 * kept.size());
    out.attrs.reserve(10 * kept.size());
    for (const std::uint32_t i : kept) {
      const Result& r = results_[i];
      const Entry& e = entries_[i];
      Node node = nodes_.nodes[i];
      const NodeId caller = nodes_.ctrl_deps(node).front();
      node.type = r.type;
      node.start_us = 0;
      node.duration_us = r.duration_us;
      node.ctrl_deps = {static_cast<std::uint32_t>(deps.size()), r.has_caller ? 1U : 0U};
      if (r.has_caller) deps.push_back(caller);
      node.data_deps = {static_cast<std::uint32_t>(deps.size()), e.dep_count};
      deps.insert(deps.end(), e.deps.begin(), e.deps.begin() + e.dep_count);
      node.attrs = write_attrs(out, i);
      nodes.push_back(node);
    }
    nodes_.nodes = std::move(nodes);
    nodes_.deps = std::move(deps);
    nodes_.attrs = std::move(out.attrs);
    nodes_.positions.clear();
  }

  Range write_attrs(AttrTable& out, std::uint32_t i) const {
    const auto begin = static_cast<std::uint32_t>(out.attrs.size());
    const Found found(nodes_.attributes(nodes_.nodes[i]));
    for (std::size_t k = 0; k < usual_integers; ++k)
      out.add_int(used[k], Kind::int64_val, int_value(found[used[k]]).value);
    out.attrs.push_back(*found[attr::op_schema]);
    out.add_bool(attr::is_cpu_op, !entries_[i].device);
    // A device operation lacks a stream only if the profiler did not record it.
    if (found[attr::stream] != nullptr) {
      out.add_int(attr::stream, Kind::int64_val, int_value(found[attr::stream]).value);
    } else if (!entries_[i].device) {
      out.add_int(attr::stream, Kind::int64_val, 0);
    }
    const Result& r = results_[i];
    const bool collective = r.type == NodeType::comm_coll;
    if (collective) out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(r.collective));
    if (collective || r.type == NodeType::comm_send || r.type == NodeType::comm_recv) {
      out.add_int(attr::comm_size, Kind::int64_val, r.comm_size);
      if (r.group.size != 0)
        out.attrs.push_back(
            {.name = attr::pg_name, .kind = Kind::string_val, .size = r.group.size, .bits = r.group.offset});
    }
    return {begin, static_cast<std::uint32_t>(out.attrs.size() - begin)};
  }

  Trace& trace_;
  NodeTable& nodes_;
  IdLookup index_;
  std::vector<Entry> entries_;
  std::vector<Result> results_;
  std::vector<std::uint32_t> order_;    // nodes that count, in file order
  std::vector<std::uint32_t> emitted_;  // converted nodes, in file order
};

Metadata convert_metadata(const Trace& trace) {
  const AttrTable& from = trace.metadata.table;
  Metadata to;
  for (const Name name : {attr::schema, attr::pid, attr::time, attr::start_ts, attr::finish_ts}) {
    const Attr* a = find(from.attrs, name);
    if (a == nullptr) {
      throw reference_fails(trace.name, {}, "has no '" + std::string(name.view()) + "'", "KeyError");
    }
    if (name == attr::schema || name == attr::time) {
      if (a->kind != Kind::string_val)
        throw reference_fails(trace.name, {}, "has a '" + std::string(name.view()) + "' that is not a text",
                              "TypeError");
      to.table.add_string(name, from.string(*a));
    } else {
      const IntValue value = int_value(a);
      if (!value || value.value < 0)
        throw reference_fails(trace.name, {},
                              "has a '" + std::string(name.view()) + "' that is not an integer from 0",
                              "TypeError or ValueError");
      to.table.add_int(name, Kind::uint64_val, value.value);
    }
  }
  const std::string_view schema = to.table.string(to.table.attrs.front());
  if (std::ranges::find(schemas, schema) == schemas.end()) {
    throw reference_fails(trace.name, {}, "has schema " + std::string(schema),
                          schema == "1.1.1-chakra.1.0.0" ? "AttributeError" : "ValueError");
  }
  return to;
}

}  // namespace

Trace convert_like_reference(Trace linked) {
  Metadata metadata = convert_metadata(linked);
  Converter(linked).run();
  linked.metadata = std::move(metadata);
  return linked;
}

}  // namespace convert
