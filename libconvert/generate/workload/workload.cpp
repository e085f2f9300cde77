// SPDX-License-Identifier: MIT
#include "generate/workload/workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/workload/metadata.h"
#include "core/world_size.h"
#include "generate/workload/models.h"

namespace convert {
namespace {

Workload checked(Workload w) {
  check_workload(w);
  if (!has_setting(w.kind, "plan.clip")) w.plan.clip = false;
  return w;
}

}  // namespace

std::string format_wide(WideCount n) {
  std::string digits;
  do digits += static_cast<char>('0' + static_cast<int>(n % 10));
  while ((n /= 10) != 0);
  return {digits.rbegin(), digits.rend()};
}

WorkloadSet::WorkloadSet(Workload workload)
    : workload_(checked(std::move(workload))),
      groups_(workload_.plan, workload_.model.experts > 0, workload_.step.trains()),
      bodies_(make_bodies(workload_, groups_)),
      settings_(workload_text(workload_)) {}

StageFigures WorkloadSet::figures(std::int64_t c) const {
  const StageBody& b = body(c);
  const std::int64_t prefill = only_decodes(c) ? workload_.plan.prefill_replicas * workload_.plan.tensor : 0;
  StageFigures f{.first_rank = static_cast<Rank>(stage_of_class(c) * ranks_of_stage() + prefill + c % places()),
                 .nodes = b.nodes.size(),
                 .parameters = b.parameters_at(c % places()),
                 .optimizer_parameters = b.optimizer_parameters};
  constexpr std::size_t ops = static_cast<std::size_t>(Collective::barrier) + 1;
  std::array<std::array<StageFigures::Calls, group_kind_names.size()>, ops> calls{};
  std::array<std::uint64_t, static_cast<std::size_t>(NodeType::comm_coll) + 1> by_type{};
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    const BodyNode n = node(c, i);
    ++by_type.at(static_cast<std::size_t>(n.type));
    f.operations += static_cast<WideCount>(n.operations);
    const auto count = [&](StageFigures::Calls& to) {
      ++to.count;
      to.bytes += static_cast<WideCount>(n.size);
    };
    if (n.type == NodeType::comm_coll)
      count(calls.at(static_cast<std::size_t>(n.op)).at(static_cast<std::size_t>(n.group)));
    if (n.type == NodeType::mem_load) count(f.loads);
    if (n.type == NodeType::mem_store) count(f.stores);
    if (n.type != NodeType::comm_send) continue;
    const bool context = n.peer == Peer::next_context || n.peer == Peer::previous_context;
    count(context ? f.context_sends : n.peer == Peer::decode_replica ? f.cache_sends : f.pipeline_sends);
  }
  for (std::size_t type = 0; type < by_type.size(); ++type) {
    if (by_type.at(type) != 0) f.by_type[static_cast<NodeType>(type)] = by_type.at(type);
  }
  for (std::size_t op = 0; op < ops; ++op) {
    for (std::size_t kind = 0; kind < group_kind_names.size(); ++kind) {
      const StageFigures::Calls& all = calls.at(op).at(kind);
      if (all.count != 0) f.calls[{static_cast<Collective>(op), static_cast<GroupKind>(kind)}] = all;
    }
  }
  return f;
}

std::int64_t WorkloadSet::class_of(Rank rank) const {
  const PlanPlace p = groups_.place(rank);
  const std::int64_t role = roles() == 2 && p.data >= workload_.plan.prefill_replicas ? 1 : 0;
  return (p.stage * roles() + role) * places() + rank % ranks_of_stage() % places();
}

std::int64_t WorkloadSet::ranks_of_class(std::int64_t c) const {
  const ParallelPlan& p = workload_.plan;
  if (roles() == 1) return ranks_of_stage() / places();
  return p.tensor * p.context * (only_decodes(c) ? p.decode_replicas : p.prefill_replicas) / places();
}

// Returns the first replica that a replica sends its prompts to, or receives them from.
std::int64_t WorkloadSet::partner(std::int64_t replica) const {
  const std::int64_t from = workload_.plan.prefill_replicas, to = workload_.plan.decode_replicas;
  if (from == 0) return replica;
  if (replica < from) return from + (to > from ? replica * (to / from) : replica / (from / to));
  return to > from ? (replica - from) / (to / from) : (replica - from) * (from / to);
}

Rank WorkloadSet::peer(Peer peer, Rank rank) const {
  PlanPlace p = groups_.place(rank);
  const auto step = [](std::int64_t at, std::int64_t by, std::int64_t n) { return (at + by + n) % n; };
  switch (peer) {
    case Peer::next_stage: p.stage = step(p.stage, 1, workload_.plan.pipeline); break;
    case Peer::previous_stage: p.stage = step(p.stage, -1, workload_.plan.pipeline); break;
    case Peer::next_context: p.context = step(p.context, 1, workload_.plan.context); break;
    case Peer::previous_context: p.context = step(p.context, -1, workload_.plan.context); break;
    case Peer::first_stage: p.stage = 0; break;
    case Peer::last_stage: p.stage = workload_.plan.pipeline - 1; break;
    case Peer::decode_first_stage: p.stage = 0; [[fallthrough]];
    case Peer::decode_replica: p.data = partner(p.data); break;
    case Peer::prefill_last_stage: p.stage = workload_.plan.pipeline - 1; [[fallthrough]];
    case Peer::prefill_replica: p.data = partner(p.data); break;
  }
  return groups_.rank(p);
}

WorkloadSet::OfRank WorkloadSet::of_rank(Rank rank) const {
  OfRank own{.rank = rank, .of_class = class_of(rank), .noise = {}, .groups = {}, .peers = {}};
  const std::int64_t stage = groups_.place(rank).stage;
  for (std::size_t k = 0; k < own.groups.size(); ++k) {
    const auto kind = static_cast<GroupKind>(k);
    if (groups_.has(kind, stage)) own.groups.at(k) = std::to_string(groups_.id(kind, rank));
  }
  for (std::size_t p = 0; p < peer_kinds; ++p) own.peers.at(p) = peer(static_cast<Peer>(p), rank);
  return own;
}

void WorkloadSet::add_node(const StageBody& body, std::size_t i, const OfRank& own, NodeTable& t) const {
  const BodyNode n = node(own.of_class, i);
  t.add_node(i, n.type, body.names[n.name]);
  for (std::uint32_t d = 0; d < n.deps; ++d) t.add_data_dep(static_cast<NodeId>(body.deps[n.first_dep + d]));
  if (n.after != no_node) t.add_ctrl_dep(static_cast<NodeId>(n.after));
  t.add_bool(attr::is_cpu_op, n.host);
  if (n.type == NodeType::comp) {
    t.add_int(attr::num_ops, Kind::int64_val, n.operations);
    t.add_int(attr::tensor_size, Kind::uint64_val, n.size);
    if (workload_.times.given()) {
      // Other simulators read whole µs: rounds to the nearest µs, but at least 1 for a positive time.
      const ComputeTimes& times = workload_.times;
      const std::int64_t exact = n.host ? times.host_ns(n.size) : times.ns(n.operations, n.size, n.matrix);
      const auto ns = static_cast<std::int64_t>(own.noise.time(static_cast<std::uint64_t>(exact), own.rank, i));
      t.nodes.back().duration_us =
          static_cast<std::uint64_t>(ns == 0 ? 0 : std::max<std::int64_t>(1, (ns + 500) / 1000));
      if (ns % 1000 != 0) t.add_int(attr::duration_nanos, Kind::uint64_val, ns);
    }
  } else if (n.type == NodeType::mem_load || n.type == NodeType::mem_store) {
    t.add_int(attr::tensor_size, Kind::uint64_val, n.size);
    t.add_int(attr::tensor_loc, Kind::int32_val, 2);  // remote
  } else if (n.type == NodeType::comm_coll) {
    add_call(n, own, t);
  } else {
    const bool sends = n.type == NodeType::comm_send;
    const auto apart = static_cast<Rank>(workload_.plan.tensor * workload_.plan.context);  // replicas
    const Rank other = own.peers[static_cast<std::size_t>(n.peer)] + static_cast<Rank>(n.replica) * apart;
    t.add_int(attr::comm_src, Kind::int32_val, sends ? own.rank : other);
    t.add_int(attr::comm_dst, Kind::int32_val, sends ? other : own.rank);
    t.add_int(attr::comm_tag, Kind::int32_val, n.tag);
    t.add_int(attr::comm_size, Kind::int64_val, n.size);
  }
  if (workload_.step.tensors) add_tensors(body, i, t);
  t.end_node();
}

void WorkloadSet::add_call(const BodyNode& n, const OfRank& own, NodeTable& t) const {
  t.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(n.op));
  t.add_int(attr::comm_size, Kind::int64_val, n.size);
  t.add_string(attr::pg_name, own.groups[static_cast<std::size_t>(n.group)]);
  if (workload_.plan.dimensions || workload_.kind == ModelKind::mlp) {
    const std::vector<std::int64_t> dims = groups_.dimensions(n.group);
    if (dims.size() > 1) t.add_ints(attr::involved_dim, Kind::bool_list, dims);
  }
  if (n.uneven == no_node) return;
  const StageBody::Splits s = splits(own.of_class, n);
  t.add_ints(attr::send_splits, Kind::int64_list, s.sent);
  t.add_ints(attr::recv_splits, Kind::int64_list, s.received);
}

Trace WorkloadSet::trace(Rank rank, const Noise& noise) const {
  const StageBody& b = body(class_of(rank));
  Trace trace;
  trace.rank = rank;
  trace.name = workload_.name + " rank " + std::to_string(rank);
  trace.metadata.version = schema_version;
  trace.metadata.table.add_string(Name("workload"), settings_);
  trace.metadata.table.add_int(Name("ranks"), Kind::uint64_val, ranks());
  trace.metadata.table.add_int(Name("parameters"), Kind::int64_val, b.parameters_at(class_of(rank) % places()));
  set_world_size(trace.metadata, ranks());
  trace.nodes.nodes.reserve(b.nodes.size());
  trace.nodes.attrs.reserve(b.nodes.size() * 4);
  trace.nodes.deps.reserve(b.deps.size() + b.nodes.size());
  OfRank own = of_rank(rank);
  own.noise = noise;
  for (std::size_t i = 0; i < b.nodes.size(); ++i) add_node(b, i, own, trace.nodes);
  return trace;
}

}  // namespace convert
