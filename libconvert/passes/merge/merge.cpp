// SPDX-License-Identifier: MIT
#include "passes/merge/merge.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/algorithm/chunk_bytes.h"
#include "core/algorithm/link_way.h"
#include "core/collective.h"
#include "graph/graph.h"
#include "graph/messages.h"
#include "passes/merge/fit.h"
#include "passes/provenance.h"

namespace convert {
namespace {

constexpr std::int64_t bytes_per_element = 4;

// Sizes of the nodes of one rank's algorithm in a collective of a given size.
struct Sizes {
  std::vector<std::int64_t> bytes;  // by node; -1: none
  bool spread = false;              // the bytes are not a multiple of the chunks: some messages are a byte longer,
  bool rounded = false;             // or all are rounded down
};

// Returns the bytes of a node that has chunks.
std::int64_t size_of(const MergePlace& place, const MergePlace::Node& n, std::int64_t bytes, const ChunkFlow* flow,
                     Sizes& s) {
  const bool divides = bytes % n.of_chunks == 0;
  std::span<const ChunkRun> runs;
  if (!divides && flow != nullptr && flow->chunks() == n.of_chunks) {
    runs = n.type == NodeType::comm_recv ? flow->received(place.number, n.tb, n.position)
                                         : flow->result(place.number, n.tb, n.position);
  }
  std::int64_t sum = 0, chunks = 0;
  bool known = !runs.empty();
  for (const ChunkRun& run : runs) {
    sum += bytes_of_run(bytes, run, n.of_chunks);
    chunks += run.count;
    known = known && run.first >= 0;
  }
  if (chunks != n.chunks) sum = bytes_of_run(bytes, {.count = n.chunks}, n.of_chunks);
  if (divides || n.type == NodeType::comp) return sum;
  (known && chunks == n.chunks ? s.spread : s.rounded) = true;
  return sum;
}

struct ReplacedCall {
  std::uint32_t node = 0;  // index in the workload, later in `collectives`
  std::string_view group;  // points into the plan
  const MergePlan::Group* ranks = nullptr;
  std::uint64_t instance = 0;  // number of its first instance
  MergeChoice choice{};
  std::int64_t bytes = 0;  // of the whole collective
  const MergePlace* place = nullptr;
  bool has_ways = false;  // messages keep their sequence numbers and routes
  NodeId first_id = 0;    // of its new nodes
};

}  // namespace

struct MergedRank::State {
  State(const MergePlan& merge_plan, Trace workload) : plan(merge_plan), trace(std::move(workload)) {
    find_calls();
    number_new_nodes();
    count_sizes();
    rewire();
    set_collectives_apart();
  }

  void find_calls();
  void look_at(std::uint32_t node, std::map<std::string_view, std::uint64_t>& calls);
  void number_new_nodes();
  void count_sizes();
  void rewire();
  void rewire(Range& deps);
  void set_collectives_apart();
  void add_instance(const ReplacedCall& call, std::uint32_t chunk, NodeTable& out);
  void add_node(const MergePlace::Node& from, const Sizes& sizes, std::size_t k, const ReplacedCall& call,
                NodeTable& out) const;
  void keep_collective(const ReplacedCall& call, NodeTable& out) const;
  [[nodiscard]] std::int64_t instance_bytes(const ReplacedCall& call, std::uint32_t chunk) const {
    return part_bytes(call.bytes, call.choice.chunks, chunk);
  }
  [[nodiscard]] bool has_ways(const ReplacedCall& call) const;
  const Sizes& sizes_of(const ReplacedCall& call, std::int64_t bytes);
  const MergePlace* place_of(const ReplacedCall& call);
  [[nodiscard]] bool fits(const MergeCall& call, std::uint32_t node, const MergeChoice& choice) const;
  void count_misfit(const MergeCall& call, const MergeChoice& choice);
  [[nodiscard]] bool too_small(std::uint32_t node, std::int64_t bytes, const MergeChoice& choice);
  [[nodiscard]] std::int64_t whole_size(std::uint32_t node, Collective type, std::size_t members) const;
  [[nodiscard]] Error error(std::uint32_t node, const std::string& what) const {
    return input_error(location_of(trace, node), "node " + std::to_string(trace.nodes.nodes[node].id) + ": " + what,
                       "merge");
  }

  const MergePlan& plan;
  Trace trace;
  MergeCounts counts;
  std::vector<ReplacedCall> calls;  // ascending by id
  std::unordered_map<NodeId, std::uint32_t> call_of;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MergePlace> places;  // by algorithm and its rank
  std::map<std::pair<const MergePlace*, std::int64_t>, Sizes> sizes;
  std::map<const MergePlace*, std::int64_t> programs;  // programs in the metadata: their numbers
  NodeTable collectives;                               // replaced collectives, by call
  bool given = false;                                  // the kept nodes have been returned
  std::size_t next_call = 0;
  std::uint32_t next_chunk = 0;
};

// Returns the total bytes that the ranks contribute or receive, as some nodes state the bytes of one rank's shard.
std::int64_t MergedRank::State::whole_size(std::uint32_t node, Collective type, std::size_t members) const {
  const IntValue size = int_value(trace.nodes.attributes(trace.nodes.nodes[node]), attr::comm_size);
  if (!size || size.value < 0) throw error(node, "its comm_size is missing or invalid");
  std::int64_t bytes = size.value;
  if (states_part(type) && __builtin_mul_overflow(bytes, static_cast<std::int64_t>(members), &bytes)) {
    throw error(node, "the result of the " + std::string(convert::name(type)) + " exceeds 2^63 bytes");
  }
  return bytes;
}

void MergedRank::State::look_at(std::uint32_t node, std::map<std::string_view, std::uint64_t>& calls_of) {
  const Node& n = trace.nodes.nodes[node];
  const auto attrs = trace.nodes.attributes(n);
  const std::string_view group = group_of(trace.nodes, n);
  const std::uint64_t number = calls_of[group]++;
  const IntValue type = int_value(attrs, attr::comm_type);
  const IntValue size = int_value(attrs, attr::comm_size);
  const Collective kind = collective_of(type ? type.value : -1);
  const auto known = plan.groups.find(group);
  const std::size_t members = known == plan.groups.end()    ? 0
                              : known->second.ranks.empty() ? plan.ranks
                                                            : known->second.ranks.size();
  MergeCall request{.type = kind,
                    .group = group,
                    .bytes = size ? size.value : 0,
                    .node = n.id,
                    .name = trace.nodes.name(n),
                    .members = static_cast<std::uint32_t>(members)};
  request.unequal = members != 0 && std::ranges::binary_search(known->second.unequal, number);
  const IntValue root = root_of(attrs, kind);
  if (root && members != 0) request.root = known->second.place(root.value, plan.ranks);
  if (size && size.value < 0) throw error(node, "its comm_size is negative");
  const MergeChoice* const choice = plan.choose(request);
  if (choice == nullptr) {
    if (plan.require_all && members != 1)
      throw error(node, "no rule fits this " + std::string(convert::name(kind)) + " of " +
                            std::to_string(request.bytes) + " bytes of group " + std::string(group) +
                            "; --require-all requires one");
    ++counts.kept;
    return;
  }
  if (known == plan.groups.end()) {
    throw error(node, "process group '" + std::string(group) + "' is not defined; define it in PREFIX.groups.json");
  }
  if (convert::name(kind).empty()) throw error(node, "its comm_type is missing or is not a collective");
  if (root && !request.root)
    throw error(node, "its root, rank " + std::to_string(root.value) + ", is not a member of its group");
  const MergeAlgorithm& algorithm = plan.algorithms[choice->algorithm];
  if (algorithm.places != members) {
    throw error(node, "its group has " + std::to_string(members) + " ranks, but " + algorithm.source + " is for " +
                          std::to_string(algorithm.places) + algorithm.places_note);
  }
  const bool fitting = fits(request, node, *choice);
  const std::int64_t bytes = whole_size(node, kind, members);
  if (too_small(node, bytes, *choice)) return;
  if (!fitting) count_misfit(request, *choice);
  ReplacedCall call{.node = node,
                    .group = known->first,
                    .ranks = &known->second,
                    .instance = (known->second.first_call + number) * plan.most_chunks,
                    .choice = *choice,
                    .bytes = bytes};
  call.place = place_of(call);
  call.has_ways = has_ways(call);
  calls.push_back(call);
}

// Returns whether messages of the call keep the routes of its algorithm: not if the routes are for other NPUs, or
// for another network than the routes already in the trace.
bool MergedRank::State::has_ways(const ReplacedCall& call) const {
  const MergeAlgorithm& algorithm = plan.algorithms[call.choice.algorithm];
  if (algorithm.network.empty() || algorithm.network != plan.network) return false;
  const auto other = string_value(trace.metadata.table, trace.metadata.table.attrs, scheduled_network);
  if (other && *other != plan.network) return false;
  const std::vector<std::uint32_t>& ranks = call.ranks->ranks;
  for (std::uint32_t place = 0; place < ranks.size() && !algorithm.placed; ++place) {
    if (ranks[place] != place) return false;
  }
  return true;
}

// Returns whether the algorithm can express the collective. Throws if it must.
bool MergedRank::State::fits(const MergeCall& call, std::uint32_t node, const MergeChoice& choice) const {
  const MergeAlgorithm& algorithm = plan.algorithms[choice.algorithm];
  const bool same = same_collective(algorithm.collective, call.type);
  const std::string kind = "it is a collective of kind " + std::string(convert::name(call.type)) + ", ";
  std::string why;
  if (same) {
    why = misfit(call, trace.nodes, trace.nodes.nodes[node], algorithm);
  } else if (algorithm.collective == "custom") {
    why = kind + algorithm.source + " is a custom algorithm, which declares no collective";
  } else {
    why = kind + algorithm.source + " is an algorithm for " + algorithm.collective;
  }
  if (call.unequal || (!why.empty() && !plan.allow_misfits))
    throw error(node, why + (call.unequal ? "" : "; use --misfits warn to merge it anyway"));
  return why.empty();
}

// Returns whether a collective is kept because it has fewer bytes than chunks, and counts it.
bool MergedRank::State::too_small(std::uint32_t node, std::int64_t bytes, const MergeChoice& choice) {
  const MergeAlgorithm& algorithm = plan.algorithms[choice.algorithm];
  const std::int64_t chunks = std::int64_t{algorithm.chunks} * choice.chunks;
  if (bytes >= chunks) return false;
  if (plan.require_all) {
    throw error(node, "its " + counted(static_cast<std::uint64_t>(bytes), "byte") + (bytes == 1 ? " is" : " are") +
                          " too few for the " + std::to_string(chunks) + " chunks of " + algorithm.source +
                          "; --require-all requires it to be merged");
  }
  ++counts.kept;
  ++counts.small[{choice.algorithm, chunks}];
  return true;
}

void MergedRank::State::count_misfit(const MergeCall& call, const MergeChoice& choice) {
  if (same_collective(plan.algorithms[choice.algorithm].collective, call.type)) {
    ++counts.misfits;
  } else {
    counts.others.emplace(choice.algorithm, call.type);
  }
}

void MergedRank::State::find_calls() {
  std::map<std::string_view, std::uint64_t> calls_of;
  for (const std::uint32_t node : communication_order(trace.nodes, build_graph(trace.nodes))) {
    if (trace.nodes.nodes[node].type == NodeType::comm_coll) look_at(node, calls_of);
  }
  std::ranges::sort(calls, {}, [&](const ReplacedCall& c) { return trace.nodes.nodes[c.node].id; });
  counts.merged = calls.size();
}

const MergePlace* MergedRank::State::place_of(const ReplacedCall& call) {
  const auto number = call.ranks->place(trace.rank, plan.ranks);
  if (!number) {
    throw error(call.node, "rank " + std::to_string(trace.rank) + " is not a member of process group '" +
                               std::string(call.group) + "'");
  }
  const auto [at, added] = places.try_emplace({call.choice.algorithm, *number});
  const MergeAlgorithm& algorithm = plan.algorithms[call.choice.algorithm];
  if (added) at->second = read_merge_place(algorithm.load(*number), algorithm.places);
  return &at->second;
}

void MergedRank::State::number_new_nodes() {
  NodeId next = 0;
  for (const Node& n : trace.nodes.nodes) {
    if (n.id == std::numeric_limits<NodeId>::max())
      throw input_error({.file = trace.name}, "no ids are left after 2^64-1", "merge");
    next = std::max(next, n.id + 1);
  }
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    ReplacedCall& call = calls[i];
    call.first_id = next;
    const std::uint64_t count = call.place->nodes.size() * std::uint64_t{call.choice.chunks};
    if (count > std::numeric_limits<NodeId>::max() - next)
      throw error(call.node, "there are not enough ids for its " + std::to_string(count) + " nodes");
    next += count;
    counts.added += count;
    call_of.emplace(trace.nodes.nodes[call.node].id, i);
  }
}

const Sizes& MergedRank::State::sizes_of(const ReplacedCall& call, std::int64_t bytes) {
  const auto [at, added] = sizes.try_emplace({call.place, bytes});
  Sizes& s = at->second;
  if (!added) return s;
  const MergeAlgorithm& algorithm = plan.algorithms[call.choice.algorithm];
  const auto& nodes = call.place->nodes;
  const bool divides = std::all_of(nodes.begin(), nodes.end(), [&](const MergePlace::Node& n) {
    return n.of_chunks == 0 || bytes % n.of_chunks == 0;
  });
  const ChunkFlow* const flow = divides || !algorithm.flow ? nullptr : algorithm.flow();
  s.bytes.reserve(nodes.size());
  for (const MergePlace::Node& n : nodes) {
    s.bytes.push_back(n.of_chunks == 0 ? n.bytes : size_of(*call.place, n, bytes, flow, s));
  }
  return s;
}

// Computes all sizes, and counts collectives whose chunks differ in size.
void MergedRank::State::count_sizes() {
  for (const ReplacedCall& call : calls) {
    bool spread = false, rounded = false;
    for (const std::uint32_t c : {0U, call.choice.chunks - 1}) {
      const Sizes& s = sizes_of(call, instance_bytes(call, c));
      spread = spread || s.spread;
      rounded = rounded || s.rounded;
    }
    counts.rounded += rounded ? 1 : 0;
    counts.spread += spread && !rounded ? 1 : 0;
  }
}

// Replaces a dependency on a replaced collective by dependencies on all its last nodes.
void MergedRank::State::rewire(Range& deps) {
  NodeTable& table = trace.nodes;
  const auto goes = [&](NodeId id) { return call_of.contains(id); };
  const auto* const begin = table.deps.data() + deps.begin;
  if (std::none_of(begin, begin + deps.count, goes)) return;
  const std::vector<NodeId> old(begin, begin + deps.count);
  const auto first = static_cast<std::uint32_t>(table.deps.size());
  for (const NodeId id : old) {
    const auto at = call_of.find(id);
    if (at == call_of.end()) {
      table.deps.push_back(id);
      continue;
    }
    const ReplacedCall& call = calls[at->second];
    for (std::uint32_t c = 0; c < call.choice.chunks; ++c) {
      for (const std::uint32_t sink : call.place->sinks)
        table.deps.push_back(call.first_id + c * call.place->nodes.size() + sink);
    }
  }
  if (table.deps.size() > std::numeric_limits<std::uint32_t>::max())
    throw input_error({.file = trace.name}, "the last nodes of its algorithms have more than 2^32 dependents",
                      "merge");
  deps = {first, static_cast<std::uint32_t>(table.deps.size()) - first};
}

void MergedRank::State::rewire() {
  if (calls.empty()) return;
  for (Node& n : trace.nodes.nodes) {
    rewire(n.data_deps);
    rewire(n.ctrl_deps);
  }
}

void MergedRank::State::set_collectives_apart() {
  std::vector<Node>& nodes = trace.nodes.nodes;
  std::vector<bool> goes(nodes.size());
  for (ReplacedCall& call : calls) {
    goes[call.node] = true;
    collectives.add_copy(trace.nodes, nodes[call.node]);
    call.node = static_cast<std::uint32_t>(collectives.nodes.size() - 1);
  }
  if (calls.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!goes[i]) nodes[kept++] = nodes[i];
  }
  nodes.resize(kept);
  trace.nodes.positions.clear();
}

// Stores on the first new node the data that restores the collective: its fields and attributes, and the number of
// new nodes.
void MergedRank::State::keep_collective(const ReplacedCall& call, NodeTable& out) const {
  const Node& node = collectives.nodes[call.node];
  Node& first = out.nodes.back();
  first.inputs = out.add_io(collectives, node.inputs);
  first.outputs = out.add_io(collectives, node.outputs);
  first.extra = out.add_extra(collectives, node.extra);
  out.add_int(attr::merged_nodes, Kind::uint64_val,
              static_cast<std::int64_t>(call.place->nodes.size() * call.choice.chunks));
  bool same_name = false;  // some attribute has the name of a stored time; then both times are written after it
  if (const auto known = programs.find(call.place); known != programs.end())
    out.add_int(merged::program, Kind::uint64_val, known->second);
  for (const Attr& a : collectives.attributes(node)) {
    out.add_copy(collectives, a);
    Name& name = out.attrs.back().name;
    name = merged::name_of(a.name);
    same_name = same_name || name == merged::start_time_micros || name == merged::duration_micros;
  }
  if (node.start_us != 0 || same_name)
    out.add_int(merged::start_time_micros, Kind::uint64_val, static_cast<std::int64_t>(node.start_us));
  if (node.duration_us != 0 || same_name)
    out.add_int(merged::duration_micros, Kind::uint64_val, static_cast<std::int64_t>(node.duration_us));
}

void MergedRank::State::add_node(const MergePlace::Node& from, const Sizes& s, std::size_t k,
                                 const ReplacedCall& call, NodeTable& out) const {
  if (from.duration_ns >= 0) out.add_int(attr::duration_nanos, Kind::uint64_val, from.duration_ns);
  if (from.type == NodeType::comp) {
    const bool scaled = from.of_chunks != 0;
    const std::int64_t size = scaled ? s.bytes[k] * from.touched : from.bytes;
    const std::int64_t ops = scaled ? std::max<std::int64_t>(1, s.bytes[k] / bytes_per_element) : from.num_ops;
    if (ops >= 0) out.add_int(attr::num_ops, Kind::int64_val, ops);
    if (size >= 0) out.add_int(attr::tensor_size, Kind::int64_val, size);
    return;
  }
  const auto own = static_cast<std::int32_t>(trace.rank);
  const auto& ranks = call.ranks->ranks;
  const auto peer = static_cast<std::int32_t>(ranks.empty() ? from.peer : ranks[from.peer]);
  const bool sends = from.type == NodeType::comm_send;
  out.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(from.type));
  out.add_int(attr::comm_src, Kind::int32_val, sends ? own : peer);
  out.add_int(attr::comm_dst, Kind::int32_val, sends ? peer : own);
  write_route(*call.place, from, call.has_ways, plan.turn_scope, out);
}

void MergedRank::State::add_instance(const ReplacedCall& call, std::uint32_t chunk, NodeTable& out) {
  const Sizes& s = sizes_of(call, instance_bytes(call, chunk));
  const MergePlace& place = *call.place;
  const Node& collective = collectives.nodes[call.node];
  const NodeId base = call.first_id + chunk * place.nodes.size();
  const std::uint64_t instance = call.instance + chunk;  // of this merge
  const std::int64_t tag = plan.first_tag + static_cast<std::int64_t>(instance) * plan.tags;
  const std::uint64_t text = out.add_text(place.text).offset;
  const Text name = out.add_text(collectives.name(collective));
  const auto add_deps = [&](std::span<const NodeId> ids) {
    const Range range{static_cast<std::uint32_t>(out.deps.size()), static_cast<std::uint32_t>(ids.size())};
    out.deps.insert(out.deps.end(), ids.begin(), ids.end());
    return range;
  };
  const Range data = add_deps(collectives.data_deps(collective));
  const Range ctrl = add_deps(collectives.ctrl_deps(collective));
  for (std::size_t k = 0; k < place.nodes.size(); ++k) {
    const MergePlace::Node& from = place.nodes[k];
    Node& n = out.nodes.emplace_back();
    n.id = base + k;
    n.type = from.type;
    n.name = {text + from.name.offset, from.name.size};
    n.duration_us = from.duration_us;
    n.attrs.begin = static_cast<std::uint32_t>(out.attrs.size());
    if (from.root) {  // first nodes depend on all dependencies of the collective
      n.data_deps = data;
      n.ctrl_deps = ctrl;
    }
    for (std::uint32_t d = 0; d < from.data_deps.count; ++d)
      out.add_data_dep(base + place.deps[from.data_deps.begin + d]);
    for (std::uint32_t d = 0; d < from.ctrl_deps.count; ++d)
      out.add_ctrl_dep(base + place.deps[from.ctrl_deps.begin + d]);
    out.add_bool(attr::is_cpu_op, false);
    add_node(from, s, k, call, out);
    if (from.type != NodeType::comp) {
      out.add_int(attr::comm_tag, Kind::int32_val, tag + from.tag);
      out.add_int(attr::comm_size, Kind::int64_val, s.bytes[k]);
    }
    out.add_int(attr::merged_from, Kind::uint64_val, static_cast<std::int64_t>(collective.id));
    out.attrs.push_back(
        {.name = attr::merged_name, .kind = Kind::string_val, .size = name.size, .bits = name.offset});
    out.add_int(attr::merged_instance, Kind::uint64_val, static_cast<std::int64_t>(plan.first_instance + instance));
    if (k == 0 && chunk == 0) keep_collective(call, out);
    out.end_node();
  }
}

std::optional<std::uint32_t> MergePlan::Group::place(std::int64_t rank, std::uint32_t of_ranks) const {
  if (ranks.empty())
    return rank >= 0 && rank < of_ranks ? std::optional(static_cast<std::uint32_t>(rank)) : std::nullopt;
  const auto at = std::find(ranks.begin(), ranks.end(), rank);
  return at == ranks.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(at - ranks.begin()));
}

MergedRank::MergedRank(const MergePlan& plan, Trace workload)
    : state_(std::make_unique<State>(plan, std::move(workload))) {}
MergedRank::~MergedRank() = default;

const MergeCounts& MergedRank::counts() const { return state_->counts; }

void MergedRank::add_programs(Metadata& out) {
  std::int64_t number = 0;
  for (const Attr& a : out.table.attrs) number = std::max(number, merged::program_of(a.name) + 1);
  for (const auto& [key, place] : state_->places) {
    if (place.program.attrs.empty()) continue;
    for (const Attr& a : place.program.attrs) {
      out.table.add_copy(place.program, a);
      out.table.attrs.back().name = merged::name_of(number, a.name.view());
    }
    state_->programs.emplace(&place, number++);
  }
  const bool has_ways = std::ranges::any_of(state_->calls, &ReplacedCall::has_ways);
  if (!has_ways || find(out.table.attrs, scheduled_network) != nullptr) return;
  out.table.add_string(scheduled_network, state_->plan.network);
  if (!state_->plan.forwarding.empty()) out.table.add_string(scheduled_forwarding, state_->plan.forwarding);
}

bool MergedRank::next(Trace& out, std::size_t max_nodes) {
  State& s = *state_;
  if (!std::exchange(s.given, true) && !s.trace.nodes.nodes.empty()) {
    std::swap(out.nodes, s.trace.nodes);
    return true;
  }
  out.nodes.clear();
  while (s.next_call < s.calls.size() && out.nodes.nodes.size() < max_nodes) {
    const ReplacedCall& call = s.calls[s.next_call];
    s.add_instance(call, s.next_chunk, out.nodes);
    if (++s.next_chunk < call.choice.chunks) continue;
    s.next_chunk = 0;
    ++s.next_call;
  }
  return !out.nodes.nodes.empty();
}

}  // namespace convert
