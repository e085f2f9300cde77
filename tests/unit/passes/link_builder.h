// SPDX-License-Identifier: MIT
// A program as recorded by PyTorch and its profiler, event by event; its linked trace in short form; and its
// replay.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "link_whole.h"
#include "passes/dep_rules.h"

namespace convert::test {

struct HostOp {
  NodeId id = 0;
  std::string_view name{};
  NodeId caller = 0;  // 0: the node of the thread
  std::int64_t rf_id = -1;
  std::int64_t tid = 0;
  std::int64_t forward_tid = 0;
  std::int64_t sequence = -1;
  std::int64_t scope = 0;  // 7: of the user, an annotation
  std::string_view inputs = "[]", input_types = "[]", outputs = "[]", output_types = "[]";
};

// Operators are identified by their host id. Threads of the profile are 0, 1, …; the host trace counts them from 1.
// All times are in nanoseconds.
class Program {
 public:
  explicit Program(std::size_t threads = 1) {
    host_.name = "host.json";
    profile_.file = "kineto.json";
    node({.id = 1, .name = "[pytorch|profiler|execution_trace|process]", .caller = 1, .rf_id = 0});
    for (std::size_t t = 0; t < threads; ++t) {
      profile_.threads.push_back(std::to_string(100 + t));
      node({.id = next_id_++,
            .name = "[pytorch|profiler|execution_trace|thread]",
            .caller = 1,
            .rf_id = 0,
            .tid = static_cast<std::int64_t>(t) + 1});
    }
  }

  // A node only in the host trace.
  NodeId node(const HostOp& op) {
    finish_node();
    NodeTable& t = host_.nodes;
    t.add_node(op.id, NodeType::comp, op.name);
    t.add_ctrl_dep(op.caller);
    t.nodes.back().inputs = add_io(op.inputs, op.input_types);
    t.nodes.back().outputs = add_io(op.outputs, op.output_types);
    t.add_int(attr::rf_id, Kind::int64_val, op.rf_id);
    t.add_int(attr::fw_parent, Kind::int64_val, 0);
    t.add_int(attr::seq_id, Kind::int64_val, op.sequence);
    t.add_int(attr::scope, Kind::int64_val, op.scope);
    t.add_int(attr::tid, Kind::int64_val, op.tid);
    t.add_int(attr::fw_tid, Kind::int64_val, op.forward_tid);
    t.add_string(attr::op_schema, "");
    open_ = true;
    return op.id;
  }
  // An attribute of the last host node added.
  void set(Name name, std::string_view value) { host_.nodes.add_string(name, value); }
  void set(Name name, std::int64_t value) { host_.nodes.add_int(name, Kind::int64_val, value); }

  // An event only in the profile.
  Profile::CpuOp& event(std::uint32_t thread, std::int64_t start, std::int64_t end, std::string_view name,
                        std::int64_t rf_id = Profile::none) {
    Profile::CpuOp& op = profile_.cpu_ops.emplace_back();
    fill(op, start, end);
    op.thread = thread;
    op.rf_id = rf_id;
    op.external_id = rf_id;
    op.name = profile_.args.add_text(name);
    return op;
  }
  // An operator in both.
  NodeId op(std::uint32_t thread, std::int64_t start, std::int64_t end, std::string_view name, HostOp more = {}) {
    more.id = next_id_++;
    more.name = name;
    more.rf_id = next_rf_++;
    more.tid = thread + 1;
    if (more.caller == 0) more.caller = thread + 2;
    event(thread, start, end, name, more.rf_id);
    return node(more);
  }
  [[nodiscard]] std::int64_t last_rf() const { return next_rf_ - 1; }

  Profile::Call& call(std::uint32_t thread, std::int64_t start, std::int64_t end, CallKind kind = CallKind::other) {
    Profile::Call& c = profile_.calls.emplace_back();
    fill(c, start, end);
    c.thread = thread;
    c.correlation = next_correlation_++;
    c.name = profile_.args.add_text("call");
    c.kind = kind;
    return c;
  }
  // A device operation of the call added last.
  Profile::DeviceOp& device(std::int64_t stream, std::int64_t start, std::int64_t end, std::string_view name) {
    Profile::DeviceOp& d = profile_.device_ops.emplace_back();
    fill(d, start, end);
    d.stream = stream;
    d.correlation = next_correlation_ - 1;
    d.name = profile_.args.add_text(name);
    return d;
  }
  // The profiler's data about the call added last.
  Profile::Sync& sync(std::int64_t stream, std::int64_t wait_on_stream = Profile::none,
                      std::int64_t record = Profile::none) {
    Profile::Sync& s = profile_.syncs.emplace_back();
    s.correlation = next_correlation_ - 1;
    s.stream = stream;
    s.wait_on_stream = wait_on_stream;
    s.record_correlation = record;
    return s;
  }
  [[nodiscard]] std::int64_t last_correlation() const { return next_correlation_ - 1; }
  // Attributes of the event or device operation added last.
  void args(Range& to, const std::vector<std::pair<std::string, std::string>>& texts,
            const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
    to.begin = static_cast<std::uint32_t>(profile_.args.attrs.size());
    for (const auto& [name, text] : texts) profile_.args.add_string(Name(name), text);
    for (const auto& [name, number] : numbers) profile_.args.add_int(Name(name), Kind::int64_val, number);
    to.count = static_cast<std::uint32_t>(profile_.args.attrs.size()) - to.begin;
  }

  Trace host() {
    finish_node();
    return host_;
  }
  Profile& profile() { return profile_; }
  [[nodiscard]] LinkedTrace link(const LinkOptions& options = {}, const std::vector<ProcessGroup>& groups = {},
                                 Rank rank = 0) {
    Trace trace = host();
    trace.rank = rank;
    return convert::link(std::move(trace), profile_, groups, options);
  }
  [[nodiscard]] LinkedTrace link_host(const std::vector<ProcessGroup>& groups = {}) {
    return convert::link(host(), std::nullopt, groups, {});
  }

 private:
  std::uint32_t add_io(std::string_view values, std::string_view types) {
    NodeTable& t = host_.nodes;
    t.io.push_back(
        {.values = t.add_text(values), .shapes = t.add_text("[]"), .types = t.add_text(types), .unknown = {}});
    return static_cast<std::uint32_t>(t.io.size());
  }
  void finish_node() {
    if (open_) host_.nodes.end_node();
    open_ = false;
  }
  static void fill(Profile::Event& e, std::int64_t start, std::int64_t end) {
    e.start_ns = start;
    e.duration_ns = end - start;
  }

  Trace host_;
  Profile profile_;
  bool open_ = false;
  NodeId next_id_ = 2;
  std::int64_t next_rf_ = 1;
  std::int64_t next_correlation_ = 1;
};

inline std::int64_t int_of(const Trace& t, const Node& n, Name name, std::int64_t otherwise) {
  const IntValue v = int_value(t.nodes.attributes(n), name);
  return v ? v.value : otherwise;
}
inline std::int64_t start_of(const Trace& t, const Node& n) {
  return int_of(t, n, attr::start_nanos, static_cast<std::int64_t>(n.start_us * 1000));
}
inline std::int64_t duration_of(const Trace& t, const Node& n) {
  return int_of(t, n, attr::duration_nanos, static_cast<std::int64_t>(n.duration_us * 1000));
}
inline const Node& node_named(const Trace& t, std::string_view name) {
  for (const Node& n : t.nodes.nodes) {
    if (t.nodes.name(n) == name) return n;
  }
  throw std::out_of_range("no node " + std::string(name));
}

// One line per node, such as "3 gemm 20-25 <1 launch:2 stream_order:0 +5": id, name, begin and end in ns, "<" and
// the node of a control dependency, the rule of a data dependency and its node, "+" and the start delay in ns. The
// nodes of process and threads are omitted.
inline std::vector<std::string> shown(const Trace& t) {
  std::vector<std::string> lines;
  for (const Node& n : t.nodes.nodes) {
    if (t.nodes.name(n).starts_with("[pytorch|")) continue;
    const std::int64_t start = start_of(t, n);
    std::string line = std::to_string(n.id) + ' ' + std::string(t.nodes.name(n)) + ' ' + std::to_string(start) +
                       '-' + std::to_string(start + duration_of(t, n));
    for (const NodeId c : t.nodes.ctrl_deps(n)) line += " <" + std::to_string(c);
    const Attr* rules = dep_rules_of(t.nodes, n);
    const auto deps = t.nodes.data_deps(n);
    for (std::size_t i = 0; i < deps.size(); ++i) {
      line +=
          ' ' + std::string(dep_rule_name(*dep_rule_of(t.nodes.string(*rules)[i]))) + ':' + std::to_string(deps[i]);
    }
    if (const std::int64_t delay = int_of(t, n, attr::start_delay_nanos, 0); delay != 0)
      line += " +" + std::to_string(delay);
    lines.push_back(line);
  }
  return lines;
}

// Returns when each node begins if it begins as soon as its dependencies have ended and its start delay has passed,
// counted from the earliest begin. Nodes in order: -1 for a node that depends on a later one.
inline std::vector<std::int64_t> replayed(const Trace& t) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Node& n : t.nodes.nodes) first = std::min(first, start_of(t, n));
  std::vector<std::int64_t> begin(t.nodes.nodes.size(), -1);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const Node& n = t.nodes.nodes[i];
    std::int64_t ready = first;
    bool sound = n.id == i;
    const auto wait = [&](NodeId id) {
      if (id >= i || begin[id] < 0) {
        sound = false;
        return;
      }
      ready = std::max(ready, begin[id] + duration_of(t, t.nodes.nodes[id]));
    };
    for (const NodeId id : t.nodes.data_deps(n)) wait(id);
    for (const NodeId id : t.nodes.ctrl_deps(n)) wait(id);
    if (sound) begin[i] = ready + int_of(t, n, attr::start_delay_nanos, 0);
  }
  return begin;
}
// The nodes that a replay begins at another time than recorded: "ID NAME at NS instead of NS".
inline std::vector<std::string> displaced(const Trace& t) {
  const std::vector<std::int64_t> begin = replayed(t);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const Node& n = t.nodes.nodes[i];
    if (begin[i] != start_of(t, n)) {
      out.push_back(std::to_string(i) + ' ' + std::string(t.nodes.name(n)) + " at " + std::to_string(begin[i]) +
                    " instead of " + std::to_string(start_of(t, n)));
    }
  }
  return out;
}
using Lines = std::vector<std::string>;

inline std::uint64_t count(const LinkReport& report, Unmatched kind) {
  return report.unmatched[static_cast<std::size_t>(kind)];
}

}  // namespace convert::test
