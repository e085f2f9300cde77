// SPDX-License-Identifier: MIT
// Traces in short form for the tests of passes, and their findings as lines of text.
#pragma once

#include <string>
#include <vector>

#include "common/findings.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/validate.h"

namespace convert::test {

class TraceBuilder {
 public:
  explicit TraceBuilder(Rank rank = 0) {
    trace_.rank = rank;
    trace_.name = "t." + std::to_string(rank) + ".et";
    trace_.metadata.version = "0.0.4";
  }
  // Further attributes may follow until the next node.
  TraceBuilder& node(NodeId id, NodeType type, const std::vector<NodeId>& deps = {}) {
    end();
    trace_.nodes.positions.push_back(16 * trace_.nodes.nodes.size());
    trace_.nodes.add_node(id, type, "n");
    for (const NodeId d : deps) trace_.nodes.add_data_dep(d);
    open_ = true;
    return *this;
  }
  TraceBuilder& comp(NodeId id, const std::vector<NodeId>& deps = {}) { return node(id, NodeType::comp, deps); }
  TraceBuilder& send(NodeId id, std::int64_t to, std::int64_t tag, std::int64_t bytes,
                     const std::vector<NodeId>& deps = {}) {
    node(id, NodeType::comm_send, deps).set(attr::comm_dst, to).set(attr::comm_tag, tag);
    return bytes < 0 ? *this : set(attr::comm_size, bytes);
  }
  TraceBuilder& recv(NodeId id, std::int64_t from, std::int64_t tag, std::int64_t bytes,
                     const std::vector<NodeId>& deps = {}) {
    node(id, NodeType::comm_recv, deps).set(attr::comm_src, from).set(attr::comm_tag, tag);
    return bytes < 0 ? *this : set(attr::comm_size, bytes);
  }
  // bytes < 0: not stated
  TraceBuilder& collective(NodeId id, Collective type, std::int64_t bytes, std::string_view group = {},
                           const std::vector<NodeId>& deps = {}) {
    node(id, NodeType::comm_coll, deps).set(attr::comm_type, static_cast<std::int64_t>(type));
    if (bytes >= 0) set(attr::comm_size, bytes);
    if (!group.empty()) trace_.nodes.add_string(attr::pg_name, group);
    return *this;
  }
  TraceBuilder& splits(const std::vector<std::int64_t>& send, const std::vector<std::int64_t>& recv) {
    trace_.nodes.add_ints(attr::send_splits, Kind::int64_list, send);
    trace_.nodes.add_ints(attr::recv_splits, Kind::int64_list, recv);
    return *this;
  }
  TraceBuilder& control(NodeId parent) {
    trace_.nodes.add_ctrl_dep(parent);
    return *this;
  }
  TraceBuilder& set(Name name, std::int64_t value, Kind kind = Kind::int64_val) {
    trace_.nodes.add_int(name, kind, value);
    return *this;
  }
  NodeTable& table() { return trace_.nodes; }
  Trace& trace() {
    end();
    return trace_;
  }

 private:
  void end() {
    if (open_) trace_.nodes.end_node();
    open_ = false;
  }
  Trace trace_;
  bool open_ = false;
};

// One for each of the ranks 0 to n - 1.
inline std::vector<TraceBuilder> trace_builders(Rank n) {
  std::vector<TraceBuilder> set;
  for (Rank r = 0; r < n; ++r) set.emplace_back(r);
  return set;
}

inline std::vector<std::string> findings(TraceBuilder& builder, const std::string& rules) {
  Diagnostics diagnostics;
  check_trace(builder.trace(), RuleSet::parse(rules), diagnostics);
  return finding_lines(diagnostics);
}

inline std::vector<std::string> findings(std::vector<TraceBuilder>& set, const std::string& rules,
                                         const GroupLists* groups = nullptr) {
  Diagnostics diagnostics;
  std::vector<TraceSummary> summaries;
  for (TraceBuilder& b : set) summaries.push_back(summarise(b.trace()));
  check_set(summaries, RuleSet::parse(rules), diagnostics, groups);
  return finding_lines(diagnostics);
}

using Lines = std::vector<std::string>;

}  // namespace convert::test
