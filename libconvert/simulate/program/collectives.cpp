// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "core/algorithm/chunk_bytes.h"
#include "core/units.h"
#include "core/words.h"
#include "graph/messages.h"
#include "simulate/program/builder.h"

namespace convert {
namespace {

SystemModel make_model(const NetworkConfig& network, const ReplaySystem& system, Rules rules, std::uint32_t npus) {
  const SystemConfig& c = system.config;
  SystemModel m;
  for (const NetworkDim& d : network.dims) {
    m.dims.push_back(static_cast<std::uint32_t>(d.npus));
    m.bytes_per_ns_by_dim.push_back(d.bytes_per_ns);
    m.topology_by_dim.push_back(d.topology);
  }
  m.rules = rules;
  m.policy = system.policy;
  m.balanced = system.balanced && !rules.chunks_take_one_order();
  if (m.dims.empty()) m.dims.push_back(npus);
  // Nodes of a machine without a rank are idle.
  if (network.npus() > npus && npus % m.dims.front() == 0) m.dims.back() = npus / m.dims.front();
  m.npus = npus;
  m.queues = system.queues_per_dim;
  m.active_chunks = static_cast<std::uint32_t>(std::min<std::int64_t>(c.active_chunks_per_dimension, INT32_MAX));
  const double scaled = static_cast<double>(c.endpoint_delay_ns) * system.injection_scale;
  m.endpoint_delay = c.endpoint_delay_given ? truncate_delay(scaled) : c.endpoint_delay_ns * ps_per_ns;
  m.splits = c.dataset_splits;
  m.optimization = c.optimization;
  m.local_mem_bytes_per_s = c.local_mem_bytes_per_s;
  m.shared_bus = c.shared_bus;
  m.local_reduction_delay = c.local_reduction_delay;
  m.collectives = c.collectives;
  for (const SystemRule& r : system.rules) m.lists.push_back(r.choice.per_dim);
  return m;
}

std::size_t call_hash(const CollectiveCall& call, const std::string& prefix) {
  std::size_t hash = std::hash<std::string>()(prefix);
  for (const std::size_t v : {static_cast<std::size_t>(call.bytes), static_cast<std::size_t>(call.op),
                              std::size_t{call.group}, std::size_t{call.dims}})
    hash = (hash ^ v) * 0x9e3779b97f4a7c15U + (hash >> 29U);
  return hash ^ hash >> 32U;
}

}  // namespace

void ReplayBuilder::State::prepare_groups() {
  program.groups.emplace_back();
  for (const CommGroup& g : program.options.system->groups) {
    SystemGroup group{.id = g.id, .ranks = g.ranks};
    for (std::uint32_t i = 0; i < g.ranks.size(); ++i) group.places.emplace_back(g.ranks[i], i);
    std::sort(group.places.begin(), group.places.end());
    group_of.emplace(g.id, static_cast<std::uint32_t>(program.groups.size()));
    program.groups.push_back(std::move(group));
  }
}

void ReplayBuilder::State::prepare_system() {
  const auto npus = static_cast<std::uint32_t>(program.ranks.size());
  program.model = make_model(program.network, *program.options.system, program.rules, npus);
  if (program.options.network.model == NetworkModel::fair) program.model.splits = 1;  // calls are not split
  for (const SystemGroup& g : program.groups) {
    if (g.places.empty() || g.places.back().first < npus) continue;
    throw input_error({.file = program.options.system->groups_file},
                      "group " + std::to_string(g.id) + " has rank " + std::to_string(g.places.back().first) +
                          ", but there are " + counted(npus, "rank"),
                      "groups");
  }
  const MemoryConfig& memory = program.options.system->memory;
  if (memory.kind == MemoryKind::per_node && memory.nodes * memory.npus_per_node < npus) {
    throw input_error({.file = memory.source},
                      "num-nodes times num-npus-per-node is " +
                          std::to_string(memory.nodes * memory.npus_per_node) + ", but there are " +
                          counted(npus, "NPU"),
                      "memory");
  }
}

// Returns the index of a group; nothing if no group has this name.
std::optional<std::uint32_t> ReplayBuilder::State::group_number(std::string_view name) const {
  if (name.empty() || name == "0") return 0;
  const std::optional<std::int64_t> id = parse_int(name);
  const auto at = id ? group_of.find(*id) : group_of.end();
  return at == group_of.end() ? std::nullopt : std::optional(at->second);
}

bool ReplayBuilder::State::is_member(std::uint32_t group, Rank rank) const {
  return group == 0 || program.groups[group].place(rank) < program.groups[group].ranks.size();
}

std::optional<std::uint32_t> ReplayBuilder::State::find_group(const Trace& trace, std::uint32_t index,
                                                              std::string_view name) {
  if (const std::optional<std::uint32_t> group = group_number(name)) {
    if (is_member(*group, trace.rank)) return group;
    compiler.error(trace, index, "groups",
                   "rank " + std::to_string(trace.rank) + " calls a collective of group " + std::string(name) +
                       ", but is not a member");
    return std::nullopt;
  }
  compiler.error(trace, index, "groups",
                 "group " + std::string(name.substr(0, 40)) +
                     (program.groups.size() == 1
                          ? std::string(" is not defined; define groups with ") +
                                (program.options.astra_names ? "--comm-group-configuration" : "--groups")
                          : " is not in the communicator groups"));
  return std::nullopt;
}

std::optional<std::int64_t> CustomSource::Message::bytes(std::int64_t of_collective,
                                                         std::span<const ChunkRun> all) const {
  std::int64_t sum = 0;
  std::int64_t counted = 0;
  for (const ChunkRun& run : all.subspan(runs.begin, runs.count)) {
    sum += bytes_of_run(of_collective, run, static_cast<std::int32_t>(of_chunks));
    counted += run.count;
  }
  const bool spreads = of_collective % of_chunks != 0 && counted == chunks;
  return spreads ? sum : bytes_of_chunks(of_collective, chunks, of_chunks);
}

// Sets the message sizes of a source's algorithm. `bytes`: size of the whole collective.
std::uint32_t ReplayBuilder::State::with_sizes(std::size_t source_index, std::int64_t bytes) {
  const CustomSource& source = sources[source_index];
  std::uint32_t& known = customs[{source_index, source.chunks != 0 ? bytes : 0}];
  if (known != 0) return known;
  CustomAlgorithm algorithm{.source = source.prefix, .parts = source.parts, .ranks = source.ranks};
  for (const CustomSource::Message& m : source.messages) algorithm.tags.push_back(m.tag);
  for (const std::shared_ptr<const RankCode>& place : source.places) {
    auto code = std::make_shared<RankCode>(*place);
    for (Op& op : code->ops) {
      if (op.type != OpType::send && op.type != OpType::recv) continue;
      if (op.peer >= source.places.size()) {
        throw input_error({},
                          "the algorithm " + source.prefix + " names rank " + std::to_string(op.peer) +
                              ", but has " + std::to_string(source.places.size()) + " ranks",
                          "custom");
      }
      const CustomSource::Message& m = source.messages[op.channel];
      if (m.of_chunks != 0) op.value = m.bytes(bytes, source.runs).value_or(0);
      if (op.value <= 0) {
        throw input_error({},
                          "the algorithm " + source.prefix + " splits " + counted(bytes, "byte") + " into " +
                              counted(m.of_chunks, "chunk") +
                              ": messages have less than 1 byte, or 2^63 bytes or more",
                          "custom");
      }
    }
    algorithm.places.push_back(std::move(code));
  }
  program.customs.push_back(std::move(algorithm));
  known = static_cast<std::uint32_t>(program.customs.size());
  return known;
}

// Any algorithm may run for any collective, as in ASTRA-sim, but this is usually a mistake.
void ReplayBuilder::State::check_use(CustomSource& source, const CallUse& use) {
  const auto warn = [&](const std::string& what) {
    diagnostics.warning(use.where, "custom",
                        "node " + std::to_string(use.node) + ": the algorithm " + source.prefix + what);
  };
  if (source.chunks == 0 && source.used_for_bytes.value_or(use.call.bytes) != use.call.bytes &&
      !source.sizes_told) {
    source.sizes_told = true;
    warn(" has fixed message sizes, but replaces collectives of " + std::to_string(*source.used_for_bytes) +
         " and of " + counted(use.call.bytes, "byte") + " alike");
  }
  source.used_for_bytes = use.call.bytes;
  if (!source.used_for.insert(use.call.op).second) return;
  if (!source.relays.empty()) {
    warn(" only relays data at rank " + std::to_string(source.relays.front()) +
         ": that rank contributes no data and receives no result");
  }
  if (source.collective.empty() || same_name(source.collective, name(use.call.op))) return;
  warn((source.collective == "custom" ? " is custom" : " is for " + source.collective) + ", but replaces " +
       std::string(name(use.call.op)));
}

// Returns the algorithm of that name; a library algorithm is made for the call. Null if none exists.
CustomSource* ReplayBuilder::State::source_of(const CallUse& use, std::uint32_t members) {
  if (!is_builtin(use.prefix)) {
    const auto found = std::ranges::find(sources, use.prefix, &CustomSource::prefix);
    return found == sources.end() ? nullptr : &*found;
  }
  return builtin_of(use, members);
}

CustomSource* ReplayBuilder::State::builtin_of(const CallUse& use, std::uint32_t members) {
  CollectiveCall call = use.call;
  const std::optional<std::uint32_t> size = library.size_class(use.prefix, call.bytes);
  const BuiltinKey key{use.prefix, call.op, members, call.root, size ? call.group : 0, size.value_or(0)};
  auto at = builtins.find(key);
  if (at == builtins.end()) {
    for (const CallUse& other : calls) {
      const CollectiveCall& c = other.call;
      const bool alike = size && other.prefix == use.prefix && c.op == call.op && c.group == call.group &&
                         c.root == call.root && library.size_class(use.prefix, c.bytes) == size;
      if (alike) call.bytes = std::max(call.bytes, c.bytes);
    }
    std::vector<Rank> ranks = program.groups[call.group].ranks;
    if (ranks.empty()) {
      ranks.resize(members);
      std::iota(ranks.begin(), ranks.end(), Rank{0});
    }
    library.make(use.prefix, call, ranks);
    at = builtins.emplace(key, sources.size() - 1).first;
  }
  return &sources[at->second];
}

// Returns whether a call has too few bytes for the algorithm, so that the native algorithm runs. Counts its nodes.
bool ReplayBuilder::State::goes_without(const CustomSource& source, std::int64_t bytes, CallUse& use) {
  const bool native =
      !is_listed(use.call.op) || !program.model.collectives.at(listed_place(use.call.op)).per_dim.empty();
  if (bytes >= source.chunks || !native) return false;
  too_small[{source.prefix, source.chunks}] += use.nodes;
  use.prefix.clear();
  use.call.list = 0;
  return true;
}

// Returns 1 + the custom algorithm of a call; 0 if it has none.
std::uint32_t ReplayBuilder::State::custom_for(CallUse& use) {
  if (use.source != 0) return with_sizes(use.source - 1, use.call.bytes);
  const std::uint32_t members = program.groups[use.call.group].size(program.model);
  if (is_builtin(use.prefix) && members == 1) {  // no other member to send to
    use.prefix.clear();
    use.call.list = 0;
  }
  if (use.prefix.empty()) return 0;
  CustomSource* const source = source_of(use, members);
  const std::size_t places = source == nullptr ? 0 : source->places.size();
  if (places != members) {
    throw input_error({},
                      "the algorithm " + use.prefix + " is for " + counted(places, "NPU") +
                          ", but the collective has " + std::to_string(members) +
                          (places < members || source->relays.empty()
                               ? ""
                               : "; its relays, such as rank " + std::to_string(source->relays.front()) +
                                     ", are included: et-merge omits unused relays"),
                      "custom");
  }
  if (!source->relays.empty() && !program.rules.relays_may_be_ranks()) {
    throw input_error({},
                      "rank " + std::to_string(source->relays.front()) + " of " + use.prefix +
                          " only relays data: it would contribute no data and receive no result",
                      "custom");
  }
  std::int64_t bytes = use.call.bytes;
  if (states_part(use.call.op) && __builtin_mul_overflow(bytes, std::int64_t{members}, &bytes)) {
    throw input_error({}, "the result of the " + std::string(name(use.call.op)) + " exceeds 2^63 bytes", "custom");
  }
  if (goes_without(*source, bytes, use)) return 0;
  check_use(*source, use);
  return with_sizes(static_cast<std::size_t>(source - sources.data()), bytes);
}

void ReplayBuilder::State::plan_collectives() {
  prepare_system();
  if (diagnostics.errors() != 0) {  // perhaps of an algorithm that could not be read
    failed = true;
    return;
  }
  gather_uneven();
  for (CallUse& use : calls) {
    try {
      use.call.custom = custom_for(use);
      program.plans.push_back(program.options.network.model == NetworkModel::fair && use.call.custom == 0
                                  ? plan_on_machine(use.call)
                                  : plan_collective(program.model, program.groups[use.call.group], use.call));
    } catch (const Error& e) {
      failed = true;
      diagnostics.error(use.where, e.rule(), "node " + std::to_string(use.node) + ": " + e.what());
    }
  }
  for (const auto& [which, nodes] : too_small)
    program.notes.push_back(
        too_small_text(nodes, "uses the native algorithm", "use the native algorithm", which.first, which.second));
}

const CollectiveCall& ReplayBuilder::State::call_of(std::uint32_t call) const {
  const UnevenCall* const u = uneven_of(call);
  return u != nullptr ? u->call : calls[call].call;
}

// Calls of a group match by their positions in the order of issue: dependencies first, then the lowest id. The
// order in which nodes become free at run time may differ from rank to rank.
std::vector<std::uint32_t> ReplayBuilder::State::order_of_calls(const Trace& trace, const Graph& graph,
                                                                const std::vector<Op>& by_index) const {
  const auto is_other = [&](std::uint32_t index) { return by_index[index].type != OpType::collective; };
  if (program.rules.collectives_meet_at_call_time() ||
      std::ranges::none_of(by_index, [](const Op& op) { return op.type == OpType::collective; }))
    return {};
  std::vector<std::uint32_t> order = communication_order(trace.nodes, graph);
  std::erase_if(order, is_other);
  return order;
}

// Numbers the calls of each group.
void ReplayBuilder::State::number_collectives(CompiledRank& rank) const {
  if (rank.call_order.empty() || compiler.failed() || custom_compiler.failed()) return;
  const std::vector<std::uint32_t> nodes = nodes_by_index(*rank.code);
  std::unordered_map<std::uint32_t, std::uint32_t> counts;  // by group
  for (const std::uint32_t index : rank.call_order) {
    Op& op = rank.code->ops[nodes[index]];
    if (op.type == OpType::collective) op.peer = counts[call_of(op.channel).group]++;
  }
}

// Returns whether the collective takes no time.
bool ReplayBuilder::State::is_free(const NodeCollective& c, NodeId node, std::string_view name) {
  const std::vector<FreeWork::Calls>& free = program.options.free.calls;
  free_used.resize(free.size());
  bool found = false;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!free[i].which.fits(c.op, c.group, c.bytes, node, name)) continue;
    free_used[i] = found = true;
  }
  return found;
}

// Sets op.channel to the number of the call among all distinct calls. A node's own algorithm precedes rules.
void ReplayBuilder::State::compile_collective(const Trace& trace, std::uint32_t index, const NodeCollective& c,
                                              Op& op) {
  const auto group = find_group(trace, index, c.group);
  if (!group) return;
  const ReplaySystem& system = *program.options.system;
  const NodeId node = trace.nodes.nodes[index].id;
  if (!program.rules.involved_dim_may_be_short() && *group == 0 && c.listed_dims &&
      *c.listed_dims < program.network.dims.size()) {
    return compiler.error(trace, index, "attributes",
                          "involved_dim has " + std::to_string(*c.listed_dims) + " values, but the network has " +
                              counted(program.network.dims.size(), "dimension"));
  }
  const auto by_node = system.per_node_custom.find(node);
  CollectiveCall call{.op = c.op, .bytes = c.bytes, .group = *group, .dims = c.dims};
  std::string prefix;
  rules_used.resize(system.rules.size());
  const std::string_view name = trace.nodes.name(trace.nodes.nodes[index]);
  const auto rule = std::find_if(system.rules.begin(), system.rules.end(), [&](const SystemRule& r) {
    return (r.which.type || is_listed(c.op) || !r.choice.custom.empty()) &&
           r.which.fits(c.op, c.group, c.bytes, node, name);
  });
  if (by_node != system.per_node_custom.end()) {
    prefix = by_node->second;
    nodes_used.insert(node);
  } else if (rule != system.rules.end()) {
    prefix = rule->choice.custom;
    rules_used[static_cast<std::size_t>(rule - system.rules.begin())] = true;
    call.list = static_cast<std::uint32_t>(rule - system.rules.begin()) + 1;
  } else if (is_listed(c.op)) {
    prefix = system.config.collectives.at(listed_place(c.op)).custom;
  }
  if (is_free(c, node, name)) {
    op = {.type = OpType::timed, .slot = op.slot};
    return;
  }
  call.names_root = c.root.has_value();
  if (c.root) call.root = program.groups[*group].place(*c.root);
  if (system.policy == WirePolicy::priority) call.priority = c.priority;
  if (c.op == Collective::all_to_all && !program.rules.parts_are_equal() && note_splits(trace, index, call, op)) {
    const std::string differ = "its shards differ in size (send_splits, recv_splits)";
    const auto dims = c.listed_dims ? static_cast<int>(*c.listed_dims) : 0;
    if (!prefix.empty()) compiler.error(trace, index, "custom", differ + "; " + prefix + " requires equal shards");
    if (*group == 0 && std::countr_one(c.dims) < dims)
      compiler.error(trace, index, "attributes", differ + ", but it involves only some dimensions (involved_dim)");
    return;
  }
  UnevenCall own{.call = call, .prefix = prefix, .where = location_of(trace, index), .node = node};
  own.bytes_out = c.bytes_out;
  const bool has_parts = c.bytes_out >= 0 || c.op == Collective::gather || c.op == Collective::scatter;
  if (has_parts && !program.rules.parts_are_equal()) return note_uneven(std::move(own), op);
  op.channel = add_call(own);
}

// Returns the number of a call among all distinct calls. The caller must append a new call.
std::uint32_t ReplayBuilder::State::call_number(const CollectiveCall& call, const std::string& prefix) {
  return call_index.find_or_add(
      call_hash(call, prefix), static_cast<std::uint32_t>(calls.size()),
      [&](std::uint32_t i) { return calls[i].call == call && calls[i].prefix == prefix; },
      [&](std::uint32_t i) { return call_hash(calls[i].call, calls[i].prefix); });
}

}  // namespace convert
