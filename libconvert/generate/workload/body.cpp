// SPDX-License-Identifier: MIT
#include "generate/workload/body.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/diagnostic.h"

namespace convert {

BodyNode StageBody::node(std::size_t i, std::int64_t place) const {
  BodyNode n = nodes[i];
  if (n.uneven == no_node) return n;
  const UnevenNode& u = uneven[static_cast<std::size_t>(n.uneven)];
  const std::vector<std::int64_t>& sent = loads[u.load];
  std::int64_t rows = sent.at(static_cast<std::size_t>(place)) * static_cast<std::int64_t>(sent.size());
  if (u.sends_own) rows = std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
  n.operations = rows * u.operations;
  n.size = u.fixed_bytes + rows * u.bytes;
  if (n.type != NodeType::comp) return n;
  // In ASTRA-sim a computation without operations never ends.
  n.operations = std::max<std::int64_t>(n.operations, 1);
  n.size = std::max<std::int64_t>(n.size, 1);
  return n;
}

StageBody::Splits StageBody::splits(const BodyNode& node, std::int64_t place) const {
  const UnevenNode& u = uneven.at(static_cast<std::size_t>(node.uneven));
  Splits s{loads[u.load], {}};
  for (std::int64_t& rows : s.sent) rows *= u.bytes;
  s.received.assign(s.sent.size(), s.sent.at(static_cast<std::size_t>(place)));
  if (!u.sends_own) std::swap(s.sent, s.received);
  return s;
}

BodyNode& BodyBuilder::add(NodeType type, std::string_view name, std::vector<BodyIndex> after) {
  std::erase(after, no_node);
  std::ranges::sort(after);
  const auto twice = std::ranges::unique(after);
  after.erase(twice.begin(), twice.end());
  BodyNode& node = body_.nodes.emplace_back();
  node.type = type;
  node.name = body_.names.add(name);
  node.first_dep = static_cast<std::uint32_t>(body_.deps.size());
  node.deps = static_cast<std::uint32_t>(after.size());
  body_.deps.insert(body_.deps.end(), after.begin(), after.end());
  constexpr std::size_t most_nodes = std::size_t{1} << 28U;
  if (body_.nodes.size() > most_nodes)
    throw usage_error("a rank would have more than " + std::to_string(most_nodes) +
                      " nodes; reduce run.micro_batches");
  return node;
}

void BodyBuilder::chain(BodyNode& node, BodyIndex before) {
  const auto first = body_.deps.begin() + node.first_dep;
  if (before != no_node && std::find(first, body_.deps.end(), before) == body_.deps.end()) node.after = before;
}

BodyIndex BodyBuilder::compute(std::string_view name, double operations, double bytes,
                               std::vector<BodyIndex> after) {
  after.insert(after.end(), awaited_.begin(), awaited_.end());
  awaited_.clear();
  BodyNode& node = add(NodeType::comp, name, std::move(after));
  node.operations = static_cast<std::int64_t>(operations);
  node.size = static_cast<std::int64_t>(bytes);
  chain(node, last_computation_);
  return last_computation_ = static_cast<BodyIndex>(body_.nodes.size() - 1);
}

BodyIndex BodyBuilder::collective(Collective op, std::int64_t bytes, GroupKind kind, BodyIndex after,
                                  std::string_view name) {
  if (!has(kind)) return after;
  BodyNode& node = add(NodeType::comm_coll, name.empty() ? convert::name(op) : name, {after});
  node.op = op;
  node.group = kind;
  node.size = bytes;
  BodyIndex& last = last_call_.at(static_cast<std::size_t>(kind));
  chain(node, last);
  gives_result_of(op, bytes, kind, after);
  return last = static_cast<BodyIndex>(body_.nodes.size() - 1);
}

// All-reduces work in place.
void BodyBuilder::gives_result_of(Collective op, std::int64_t bytes, GroupKind kind, BodyIndex after) {
  const double members = real(groups_.size(kind));
  gives(op == Collective::all_gather       ? real(bytes) * members
        : op == Collective::reduce_scatter ? real(bytes) / members
                                           : real(bytes));
  if (op == Collective::all_reduce && tensor_of(after) != no_node) writes(tensor_of(after));
}

void BodyBuilder::send(Peer to, std::int64_t bytes, std::int64_t tag, After after, std::int64_t replica) {
  BodyNode& node = add(NodeType::comm_send, "send", after);
  node.peer = to;
  node.size = bytes;
  node.tag = static_cast<std::int32_t>(tag);
  node.replica = static_cast<std::int32_t>(replica);
}

BodyIndex BodyBuilder::receive(Peer from, std::int64_t bytes, std::int64_t tag, std::int64_t replica) {
  BodyNode& node = add(NodeType::comm_recv, "recv", {});
  node.peer = from;
  node.size = bytes;
  node.tag = static_cast<std::int32_t>(tag);
  node.replica = static_cast<std::int32_t>(replica);
  gives(real(bytes));
  return static_cast<BodyIndex>(body_.nodes.size() - 1);
}

BodyIndex BodyBuilder::compute_on_host(std::string_view name, double operations, double bytes, BodyIndex after) {
  BodyNode& node = add(NodeType::comp, name, {after});
  node.operations = static_cast<std::int64_t>(operations);
  node.size = static_cast<std::int64_t>(bytes);
  node.host = true;
  return static_cast<BodyIndex>(body_.nodes.size() - 1);
}

BodyIndex BodyBuilder::load(std::string_view name, std::int64_t bytes, BodyIndex after) {
  BodyNode& node = add(NodeType::mem_load, name, {after});
  node.size = bytes;
  chain(node, last_load_);
  gives(real(bytes));
  return last_load_ = static_cast<BodyIndex>(body_.nodes.size() - 1);
}

BodyIndex BodyBuilder::store(std::string_view name, std::int64_t bytes, BodyIndex after) {
  BodyNode& node = add(NodeType::mem_store, name, {after});
  node.size = bytes;
  chain(node, last_store_);
  return last_store_ = static_cast<BodyIndex>(body_.nodes.size() - 1);
}

}  // namespace convert
