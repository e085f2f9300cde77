// SPDX-License-Identifier: MIT
#include "passes/link/build.h"

#include <algorithm>
#include <limits>

#include "core/collective.h"
#include "core/run/group_names.h"
#include "core/trace.h"
#include "core/world_size.h"
#include "graph/communication_marks.h"
#include "passes/dep_rules.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

constexpr std::string_view delay_name = "[delay]";

// Returns whether this pass writes the attribute itself, or other fields of the result contain the same data.
bool is_ours(Name name) {
  return name == attr::is_cpu_op || name == attr::comm_type || name == attr::comm_size || name == attr::comm_src ||
         name == attr::comm_dst || name == attr::comm_tag || name == attr::num_ops || name == attr::tensor_size ||
         name == attr::stream || name == attr::duration_nanos || name == attr::start_nanos || name == attr::ts ||
         name == attr::start_delay_nanos || name == attr::host_id || name == attr::dep_rules ||
         name == attr::num_ops_estimated || name == attr::tensor_size_estimated || name == attr::comm_dtype ||
         name == attr::comm_bytes_out || name == attr::group_size || name == attr::send_splits ||
         name == attr::recv_splits || name == attr::inclusive_dur || name == attr::exclusive_dur ||
         name == attr::inter_thread_dep || name == attr::sync_dep;
}

std::uint64_t whole_us(std::int64_t ns) {
  return ns <= 0 ? 0 : std::max<std::uint64_t>((static_cast<std::uint64_t>(ns) + 500) / 1000, 1);
}

Name carried_name(Name name, std::string_view prefix) {
  return is_ours(name) || name == attr::pg_name ? Name(std::string(prefix) + std::string(name.view())) : name;
}

bool differ(std::string_view splits) {
  const auto parts = integer_list(splits);
  return parts && std::adjacent_find(parts->begin(), parts->end(), std::not_equal_to<>()) != parts->end();
}

}  // namespace

void LinkedNodes::head(Trace& out) {
  out.rank = rank_ = host_.rank;
  out.name = host_.name;
  world_ = world_size(host_.metadata).value_or(0);
  only_group_of_all_ = world_ != 0 && groups_.all_of_size(world_);
  out.metadata = std::move(host_.metadata);
  out.metadata.version = schema_version;
  add_metadata(out.metadata.table);
  GroupNames names;
  for (const GroupTable::Group& group : groups_.all()) names.emplace(group.id, group.description);
  add_group_names(names, out.metadata);
}

// Rebuilds nodes and attributes; texts, numbers, inputs and outputs keep their positions.
void LinkedNodes::begin_tables() {
  host_attrs_ = std::exchange(host_.nodes.attrs, {});
  host_nodes_ = std::exchange(host_.nodes.nodes, {});
  NodeTable& t = *table_;
  t = std::move(host_.nodes);
  t.positions.clear();
  delay_text_ = t.add_text(delay_name);
  host_text_ = t.text.size();
  host_numbers_ = t.numbers.size();
  host_texts_ = t.texts.size();
}

bool LinkedNodes::next(Trace& out, std::size_t max_nodes) {
  table_ = &out.nodes;
  NodeTable& t = *table_;
  if (next_ == 0) begin_tables();
  t.nodes.clear();
  t.attrs.clear();
  t.deps.clear();
  t.text.resize(host_text_);
  t.numbers.resize(host_numbers_);
  t.texts.resize(host_texts_);
  const std::size_t count = std::min(max_nodes, order_.nodes.size() - next_);
  reserve_huge(t.nodes, count);
  if (count == order_.nodes.size()) {
    reserve_huge(t.attrs, host_attrs_.size() + 8 * count);
    reserve_huge(t.deps, order_.deps.size() + count);
  }
  for (const std::size_t end = next_ + count; next_ < end; ++next_) add_node(static_cast<std::uint32_t>(next_));
  return count != 0;
}

void LinkedNodes::add_metadata(AttrTable& table) const {
  if (device_ == nullptr) return;
  if (device_->base_ns > 0) table.add_int(attr::base_time_nanos, Kind::uint64_val, device_->base_ns);
  for (const Attr& a : device_->metadata.attrs) {
    table.add_copy(device_->metadata, a);
    table.attrs.back().name = Name("kineto:" + std::string(a.name.view()));
  }
}

void LinkedNodes::add_shares() {
  assign_huge(share_of_operator_, operators_.all.size(), no_index);
  for (const OrderedNode& n : order_.nodes) {
    if (n.kind != OrderedNode::Kind::device || n.comm != 0 || n.caller == no_index) continue;
    if (device_->device_ops[n.source].kind != DeviceOpKind::kernel) continue;
    std::uint32_t& share = share_of_operator_[order_.nodes[n.caller].source];
    if (share == no_index) {
      share = static_cast<std::uint32_t>(shares_.size());
      shares_.emplace_back();
    }
    shares_[share].total_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(n.duration_ns, 1));
  }
}

void LinkedNodes::add_node(std::uint32_t index) {
  const OrderedNode& n = order_.nodes[index];
  Node& node = table_->nodes.emplace_back();
  node.id = index;
  node.type = NodeType::comp;
  node.attrs.begin = static_cast<std::uint32_t>(table_->attrs.size());
  switch (n.kind) {
    case OrderedNode::Kind::cpu: operators_.all[n.source].host != no_index ? add_host(n) : add_event(n); break;
    case OrderedNode::Kind::delay: add_delay(n); break;
    case OrderedNode::Kind::device: add_device(n); break;
    case OrderedNode::Kind::join: add_join(n); break;
  }
  add_ids(n, index);
  add_times(n);
  table_->end_node();
}

// Communication never counts as CPU work, even without a kernel, as ASTRA-sim fails on that.
void LinkedNodes::add_host(const OrderedNode& n) {
  NodeTable& t = *table_;
  Node& node = t.nodes.back();
  const std::uint32_t index = operators_.all[n.source].host;
  const Node& from = host_nodes_[index];
  node.name = from.name;
  node.inputs = from.inputs;
  node.outputs = from.outputs;
  for (std::uint32_t i = from.attrs.begin; i < from.attrs.begin + from.attrs.count; ++i) {
    const Attr& a = host_attrs_[i];
    const bool empty = a.kind == Kind::string_val && a.size == 0;
    if (empty && (a.name == attr::kernel_backend || a.name == attr::kernel_file)) continue;
    t.attrs.push_back(a);
    if (is_ours(a.name) || (n.comm != 0 && a.name == attr::pg_name))
      t.attrs.back().name = carried_name(a.name, "host:");
  }
  t.add_int(attr::host_id, Kind::uint64_val, static_cast<std::int64_t>(from.id));
  t.add_bool(attr::is_cpu_op, n.comm == 0);
  if (operators_.all[n.source].event != no_index) {
    carry(device_->args, device_->args.view(device_->cpu_ops[operators_.all[n.source].event].args));
  }
  if (announces_groups(t.view(node.name))) {
    node.type = NodeType::metadata;
    ++report_.metadata_nodes;
  } else {
    ++report_.cpu_nodes;
    if (n.comm != 0) add_communication(n);
    note_missing(n);
  }
}

void LinkedNodes::add_event(const OrderedNode& n) {
  const Profile::CpuOp& event = device_->cpu_ops[operators_.all[n.source].event];
  NodeTable& t = *table_;
  t.nodes.back().name = t.add_text(device_->name(event));
  if (event.rf_id >= 0) t.add_int(attr::rf_id, Kind::int64_val, event.rf_id);
  if (event.sequence >= 0) t.add_int(attr::seq_id, Kind::int64_val, event.sequence);
  t.add_int(attr::tid, Kind::int64_val, std::max<std::int64_t>(operators_.host_threads[n.thread], 0));
  t.add_bool(attr::is_cpu_op, n.comm == 0);
  carry(device_->args, device_->args.view(event.args));
  ++report_.cpu_nodes;
  if (n.comm != 0) add_communication(n);
  note_missing(n);
}

void LinkedNodes::add_delay(const OrderedNode& n) {
  NodeTable& t = *table_;
  t.nodes.back().name = delay_text_;
  t.add_int(attr::tid, Kind::int64_val, std::max<std::int64_t>(operators_.host_threads[n.thread], 0));
  t.add_bool(attr::is_cpu_op, true);
  ++report_.delay_nodes;
}

void LinkedNodes::add_device(const OrderedNode& n) {
  const Profile::DeviceOp& d = device_->device_ops[n.source];
  NodeTable& t = *table_;
  t.nodes.back().name = t.add_text(device_->name(d));
  t.add_bool(attr::is_cpu_op, false);
  t.add_int(attr::stream, Kind::int64_val, d.stream);
  if (d.device != 0) t.add_int(attr::device, Kind::int64_val, d.device);
  if (d.correlation >= 0) t.add_int(attr::correlation, Kind::int64_val, d.correlation);
  carry(device_->args, device_->args.view(d.args));
  ++(d.kind == DeviceOpKind::kernel   ? report_.kernel_nodes
     : d.kind == DeviceOpKind::memcpy ? report_.memcpy_nodes
                                      : report_.memset_nodes);
  if (n.comm != 0) {
    add_communication(n);
  } else {
    add_cost(n, d);
  }
}

void LinkedNodes::add_join(const OrderedNode& n) {
  NodeTable& t = *table_;
  t.nodes.back().name = t.add_text("[join]");
  t.add_bool(attr::is_cpu_op, false);
  t.add_int(attr::stream, Kind::int64_val, device_->device_ops[n.source].stream);
}

void LinkedNodes::add_ids(const OrderedNode& n, std::uint32_t index) {
  NodeTable& t = *table_;
  if (n.caller != no_index && n.caller < index && has_ended(order_.nodes[n.caller], n)) t.add_ctrl_dep(n.caller);
  for (const OrderedDep& d : order_.deps_of(n)) t.add_data_dep(d.node);
  if (n.dep_count == 0) return;
  t.attrs.push_back(
      {.name = attr::dep_rules, .kind = Kind::string_val, .size = n.dep_count, .bits = t.text.size()});
  for (const OrderedDep& d : order_.deps_of(n)) t.text.push_back(dep_rule_letter(d.rule));
}

void LinkedNodes::add_times(const OrderedNode& n) {
  if (!operators_.timed) return;
  Node& node = table_->nodes.back();
  node.start_us = static_cast<std::uint64_t>(n.start_ns) / 1000;
  node.duration_us = whole_us(n.duration_ns);
  if (n.start_ns % 1000 != 0) table_->add_int(attr::start_nanos, Kind::uint64_val, n.start_ns);
  if (n.start_delay_ns != 0) table_->add_int(attr::start_delay_nanos, Kind::uint64_val, n.start_delay_ns);
  if (n.duration_ns % 1000 != 0) table_->add_int(attr::duration_nanos, Kind::uint64_val, n.duration_ns);
}

void LinkedNodes::note_missing(const OrderedNode& n) {
  if (!n.lacks_communication) return;
  NodeTable& t = *table_;
  report_.add(Unmatched::communication_missing, t.nodes.back().id, t.view(t.nodes.back().name));
  t.add_bool(missing_communication, true);
}

void LinkedNodes::add_communication(const OrderedNode& n) {
  CommFacts facts = order_.comms[n.comm - 1];
  const auto meant = facts.group.empty() ? groups_.meant(facts.group_hint, rank_) : std::nullopt;
  if (meant) facts.group = *meant;
  NodeTable& t = *table_;
  const auto unknown = [&](Unmatched what) {
    const bool of_device = n.kind == OrderedNode::Kind::device;
    const std::uint64_t id = of_device && what == Unmatched::communication_unknown
                                 ? static_cast<std::uint64_t>(device_->device_ops[n.source].correlation)
                                 : t.nodes.back().id;
    report_.add(what, id, t.view(t.nodes.back().name));
    if (of_device)
      report_.unmatched_ns[static_cast<std::size_t>(what)] += static_cast<std::uint64_t>(n.duration_ns);
    t.add_bool(unknown_communication, true);
  };
  if (facts.kind == CommKind::none) return unknown(Unmatched::communication_unknown);
  const std::int64_t bytes = comm_size(facts).value_or(-1);
  const GroupTable::Group& group = groups_.of(facts);
  const bool known = facts.kind == CommKind::collective || facts.peer >= 0 || facts.peer_rank >= 0;
  if (bytes < 0) return unknown(Unmatched::communication_size);
  if (!known) return unknown(Unmatched::communication_peer);
  if (facts.kind == CommKind::collective) {
    add_collective(facts, group, bytes);
  } else if (!add_message(facts, group, bytes)) {
    return unknown(Unmatched::communication_peer);
  }
  if (n.kind == OrderedNode::Kind::cpu && device_ != nullptr && operators_.timed && !facts.on_host) {
    report_.add(Unmatched::communication_kernel, t.nodes.back().id, t.view(t.nodes.back().name));
    t.add_bool(kernelless_communication, true);
  }
  if (!facts.dtype.empty()) t.add_string(attr::comm_dtype, facts.dtype);
  const std::string_view kind = facts.kind == CommKind::send   ? "send"
                                : facts.kind == CommKind::recv ? "recv"
                                                               : name(facts.type);
  auto& sum = report_.communication[{std::string(kind), group.name}];
  ++sum.count;
  sum.bytes += static_cast<std::uint64_t>(bytes);
  sum.nanoseconds += static_cast<std::uint64_t>(n.duration_ns);
}

void LinkedNodes::add_collective(const CommFacts& facts, const GroupTable::Group& group, std::int64_t bytes) {
  NodeTable& t = *table_;
  const bool of_other_size = facts.group_size > 0 && world_ != 0 && facts.group_size != world_;
  const bool unknown_group = facts.any_group && (world_ == 0 || world_ > 2) && !only_group_of_all_;
  if (facts.group.empty() && (of_other_size || unknown_group))
    report_.add(Unmatched::communication_group, t.nodes.back().id, t.view(t.nodes.back().name));
  t.nodes.back().type = NodeType::comm_coll;
  t.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(facts.type));
  t.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.add_string(attr::pg_name, std::to_string(group.id));
  if (group.size != 0) t.add_int(attr::group_size, Kind::int32_val, group.size);
  if (facts.out_bytes >= 0) t.add_int(attr::comm_bytes_out, Kind::int64_val, facts.out_bytes);
  if (facts.type == Collective::all_to_all && (differ(facts.in_splits) || differ(facts.out_splits))) {
    add_splits(attr::send_splits, facts.in_splits, facts.in_bytes);
    add_splits(attr::recv_splits, facts.out_splits, facts.out_bytes);
  }
}

// Adds the bytes of each split; splits count elements of the first dimension.
void LinkedNodes::add_splits(Name name, std::string_view splits, std::int64_t bytes) {
  const auto parts = integer_list(splits);
  if (!parts || parts->empty() || bytes < 0) return;
  std::int64_t sum = 0;
  for (const std::int64_t p : *parts) {
    if (p < 0 || p > std::numeric_limits<std::int64_t>::max() - sum) return;
    sum += p;
  }
  if (sum == 0 || bytes % sum != 0) return;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t p : *parts) sizes.push_back(p * (bytes / sum));
  table_->add_ints(name, Kind::int64_list, sizes);
}

std::int64_t LinkedNodes::peer_of(const CommFacts& facts, const GroupTable::Group& group) {
  if (facts.peer < 0) return facts.peer_rank;
  const std::vector<std::uint32_t>& ranks = group.ranks.empty() ? group.first_ranks : group.ranks;
  const std::int64_t size = facts.group_size > 0 ? facts.group_size : group.size;
  const auto own = static_cast<std::size_t>(facts.own), peer = static_cast<std::size_t>(facts.peer);
  // Peers are ranks within the group, unless this rank has another number in the group: then they are global ranks.
  const bool of_world =
      (size > 0 && facts.peer >= size) || (facts.own >= 0 && own < ranks.size() && ranks[own] != rank_);
  if (of_world) return facts.own < 0 || facts.own == rank_ ? facts.peer : -1;
  if (peer < ranks.size()) return ranks[peer];
  if (!ranks.empty()) return -1;
  const bool all = size > 0 && size == world_ && (facts.own < 0 || facts.own == rank_);
  const std::int64_t first = all || facts.own < 0 ? 0 : rank_ - facts.own;
  if (first == 0 && (all || size <= 0 || world_ == 0)) return facts.peer;
  // The group is not the group of all ranks. Assume consecutive ranks, which follow from this rank's number in the
  // group.
  if (first < 0 || (size > 0 && first % size != 0)) return -1;
  report_.add(Unmatched::communication_peer_assumed, table_->nodes.back().id,
              table_->view(table_->nodes.back().name));
  return first + facts.peer;
}

bool LinkedNodes::add_message(const CommFacts& facts, const GroupTable::Group& group, std::int64_t bytes) {
  NodeTable& t = *table_;
  const bool send = facts.kind == CommKind::send;
  const std::int64_t peer = peer_of(facts, group);
  if (peer < 0 || peer > std::numeric_limits<std::int32_t>::max() || peer == static_cast<std::int64_t>(rank_))
    return false;
  const Rank other = static_cast<Rank>(peer);
  const Rank source = send ? rank_ : other, target = send ? other : rank_;
  // The k-th message of a group between two ranks is the k-th on both sides.
  const std::uint32_t k = messages_[{group.id, source, target}]++;
  const auto tag = static_cast<std::int64_t>((static_cast<std::uint64_t>(group.id) * 1'000'003 + k) & 0x7fffffffU);
  t.nodes.back().type = send ? NodeType::comm_send : NodeType::comm_recv;
  t.add_int(attr::comm_src, Kind::int32_val, source);
  t.add_int(attr::comm_dst, Kind::int32_val, target);
  t.add_int(attr::comm_tag, Kind::int32_val, tag);
  t.add_int(attr::comm_size, Kind::int64_val, bytes);
  t.add_string(attr::pg_name, std::to_string(group.id));
  return true;
}

std::uint64_t LinkedNodes::share_of(std::uint64_t total, Wide part, Wide whole) {
  // Times beyond 64 bits are invalid, so approximate halves are good enough.
  for (; whole >> 64U != 0; whole >>= 1U) part >>= 1U;
  return static_cast<std::uint64_t>(static_cast<Wide>(total) * part / whole);
}

void LinkedNodes::add_cost(const OrderedNode& n, const Profile::DeviceOp& d) {
  NodeTable& t = *table_;
  if (d.kind != DeviceOpKind::kernel) {
    static const Name bytes("bytes");
    const IntValue moved = int_value(device_->args.view(d.args), bytes);
    if (moved && moved.value >= 0) {
      t.add_int(attr::num_ops, Kind::int64_val, 0);
      t.add_int(attr::tensor_size, Kind::uint64_val, moved.value);
    }
    return;
  }
  if (n.caller == no_index) return;
  const std::uint32_t op = order_.nodes[n.caller].source;
  const std::uint32_t host = operators_.all[op].host;
  if (host == no_index) return;
  Share& share = shares_[share_of_operator_[op]];
  if (!std::exchange(share.asked, true)) {
    const Node& node = host_nodes_[host];
    const auto io = [&](std::uint32_t index) {
      if (index == 0) return OpIo{};
      const IoInfo& i = t.io[index - 1];
      return OpIo{t.view(i.values), t.view(i.shapes), t.view(i.types)};
    };
    const auto cost = estimate_cost(t.view(node.name), io(node.inputs), io(node.outputs));
    share.known = cost.has_value();
    if (cost) share.cost = *cost;
  }
  if (!share.known) return;
  share.given_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(n.duration_ns, 1));
  const auto part = [&](std::uint64_t total, std::uint64_t& given) {
    const auto until = share_of(total, share.given_ns, share.total_ns);
    return until - std::exchange(given, until);
  };
  t.add_int(attr::num_ops, Kind::int64_val,
            static_cast<std::int64_t>(part(share.cost.num_ops, share.given.num_ops)));
  t.add_int(attr::tensor_size, Kind::uint64_val,
            static_cast<std::int64_t>(part(share.cost.tensor_size, share.given.tensor_size)));
  t.add_bool(attr::num_ops_estimated, true);
  t.add_bool(attr::tensor_size_estimated, true);
  ++report_.estimated_nodes;
}

// Adds the profiler's attributes. An attribute that the host trace has with another value is renamed to "kineto:…".
void LinkedNodes::carry(const AttrTable& from, std::span<const Attr> attrs) {
  const std::size_t begin = table_->nodes.back().attrs.begin;
  const std::size_t own = table_->attrs.size() - begin;
  for (const Attr& a : attrs) {
    const Name name = carried_name(a.name, "kineto:");
    const Attr* const known = find(std::span<const Attr>(table_->attrs).subspan(begin, own), name);
    const bool differs = known != nullptr && !same_value(*table_, *known, from, a);
    table_->add_copy(from, a);
    table_->attrs.back().name = differs ? Name("kineto:" + std::string(name.view())) : name;
  }
}

}  // namespace convert
