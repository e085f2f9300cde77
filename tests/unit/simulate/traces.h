// SPDX-License-Identifier: MIT
// Small traces for the simulator's tests.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "config/network/network.h"
#include "simulate/engine/replay.h"

namespace convert::test {

inline Trace rank_trace(Rank rank) {
  Trace t;
  t.rank = rank;
  t.name = "t." + std::to_string(rank) + ".et";
  return t;
}
inline void add_node(Trace& t, NodeType type, NodeId id, std::initializer_list<NodeId> parents) {
  t.nodes.add_node(id, type, "n" + std::to_string(id));
  for (const NodeId p : parents) t.nodes.add_data_dep(p);
}
inline void comp(Trace& t, NodeId id, std::uint64_t us, std::initializer_list<NodeId> parents = {},
                 bool cpu = false) {
  add_node(t, NodeType::comp, id, parents);
  t.nodes.nodes.back().duration_us = us;
  t.nodes.add_bool(attr::is_cpu_op, cpu);
  t.nodes.end_node();
}
inline void send(Trace& t, NodeId id, std::int64_t to, std::int64_t bytes, std::int64_t tag = 0,
                 std::initializer_list<NodeId> parents = {}) {
  add_node(t, NodeType::comm_send, id, parents);
  t.nodes.add_int(attr::comm_dst, Kind::int32_val, to);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, tag);
  t.nodes.end_node();
}
inline void recv(Trace& t, NodeId id, std::int64_t from, std::int64_t bytes, std::int64_t tag = 0,
                 std::initializer_list<NodeId> parents = {}) {
  add_node(t, NodeType::comm_recv, id, parents);
  t.nodes.add_int(attr::comm_src, Kind::int32_val, from);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, tag);
  t.nodes.end_node();
}
// `group`: pg_name; empty: all ranks.
inline void coll(Trace& t, NodeId id, Collective type, std::int64_t bytes,
                 std::initializer_list<NodeId> parents = {}, const std::string& group = {}) {
  add_node(t, NodeType::comm_coll, id, parents);
  t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(type));
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  if (!group.empty()) t.nodes.add_string(attr::pg_name, group);
  t.nodes.end_node();
}
inline void all_reduce(Trace& t, NodeId id, std::int64_t bytes, std::initializer_list<NodeId> parents = {},
                       const std::string& group = {}) {
  coll(t, id, Collective::all_reduce, bytes, parents, group);
}
inline void invalid(Trace& t, NodeId id, std::initializer_list<NodeId> parents = {}) {
  add_node(t, NodeType::invalid, id, parents);
  t.nodes.end_node();
}
inline std::vector<Trace> ranks(Rank n) {
  std::vector<Trace> traces;
  for (Rank r = 0; r < n; ++r) traces.push_back(rank_trace(r));
  return traces;
}

inline constexpr auto unaware = NetworkModel::unaware;
inline constexpr auto aware = NetworkModel::aware;

// 1 GB/s is 1 byte per ns.
inline constexpr const char* ring2 = "ring:2,bw=1GB/s,lat=10ns";
inline NetworkConfig net(const std::string& text) { return parse_short_network(text); }

inline ReplayResult run(const std::vector<Trace>& traces, const std::string& network,
                        NetworkModel model = NetworkModel::unaware, IssueMode issue = IssueMode::algorithm,
                        bool timeline = false) {
  ReplayOptions options;
  options.network.model = model;
  options.issue = issue;
  options.astra = issue == IssueMode::workload;
  options.timeline = timeline;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, net(network), options, diagnostics);
  if (!result) throw first_finding(diagnostics);
  return std::move(*result);
}

inline std::int64_t finish_ns(const ReplayResult& r, std::size_t npu) {
  return r.npus[npu].finish_ps ? *r.npus[npu].finish_ps / ps_per_ns : -1;
}

}  // namespace convert::test
