// SPDX-License-Identifier: MIT
#include "simulate/program.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/attr_names.h"
#include "graph/graph.h"
#include "simulate/channel_index.h"
#include "simulate/compile.h"
#include "simulate/local_memory.h"
#include "simulate/system/default_system.h"

namespace convert {
namespace {

// The traces of an algorithm as its places, before they are put onto a group.
struct CustomSource {
  std::string prefix;
  std::vector<std::shared_ptr<const RankCode>> places{};  // peers are places; channel: index into messages
  struct Message {
    std::int64_t tag;
    std::int64_t chunks;  // of of_chunks of the collective, where there is no size; else 0
    std::int64_t of_chunks;
  };
  std::vector<Message> messages{};
  bool scales = false;  // messages have no sizes
};

bool same_code(const RankCode& a, const RankCode& b) {
  if ((a.tensors == nullptr) != (b.tensors == nullptr) || (a.tensors != nullptr && *a.tensors != *b.tensors))
    return false;
  return a.ops == b.ops && a.ids == b.ids && a.names == b.names && a.name_ends == b.name_ends &&
         a.roofline == b.roofline && a.feeder.same_graph(b.feeder);
}

// " (w.3.et)" of the name "w.2.et" of rank 2: the file of another rank of its set. Empty if the name says no rank.
std::string file_of_rank(std::string name, Rank rank, Rank other) {
  const std::string number = '.' + std::to_string(rank) + '.';
  const std::size_t at = name.rfind(number);
  if (at == std::string::npos) return "";
  return " (" + name.replace(at, number.size(), '.' + std::to_string(other) + '.') + ')';
}

// What a message's op does not hold.
struct CompiledMessage {
  std::int64_t tag = 0;
  std::int64_t chunks = 0;
  std::int64_t of_chunks = 0;
};

SystemModel make_model(const NetworkConfig& network, const ReplaySystem& system, bool astra, std::uint32_t npus) {
  const SystemConfig& c = system.config;
  SystemModel m;
  for (const NetworkDim& d : network.dims) {
    m.dims.push_back(static_cast<std::uint32_t>(d.npus));
    m.bytes_per_ns_by_dim.push_back(d.bytes_per_ns);
  }
  m.astra = astra;
  m.policy = system.policy;
  m.balanced = system.balanced && !astra;
  if (m.dims.empty()) m.dims.push_back(npus);
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
  for (const CollectiveRule& r : system.rules) m.lists.push_back(r.choice.per_dim);
  return m;
}

}  // namespace

std::string_view name(IssueMode mode) { return mode == IssueMode::algorithm ? "algorithm" : "workload"; }

IssueMode default_issue_mode(const Trace& trace) {
  if (find(trace.metadata.table.attrs, attr::collective) != nullptr) return IssueMode::algorithm;
  for (const Node& n : trace.nodes.nodes) {
    if (find(trace.nodes.attributes(n), attr::tb_id) != nullptr) return IssueMode::algorithm;
  }
  return IssueMode::workload;
}

std::string_view RankCode::node_name(std::uint32_t node) const {
  if (name_ends.empty()) return {};
  const std::uint32_t begin = node == 0 ? 0 : name_ends[node - 1];
  return std::string_view(names).substr(begin, name_ends[node] - begin);
}

ReplayProgram::Place ReplayProgram::place(std::uint32_t op) const {
  const auto after =
      std::upper_bound(ranks.begin(), ranks.end(), op,
                       [](std::uint32_t number, const RankProgram& r) { return number < r.first_op; });
  const auto rank = static_cast<Rank>(after - ranks.begin() - 1);
  return {rank, op - ranks[rank].first_op};
}

struct ReplayBuilder::State {
  State(NetworkConfig network, const ReplayOptions& o, Diagnostics& d)
      : diagnostics(d),
        program{.options = o, .network = std::move(network)},
        compiler(program.options, can_send_to_self(program.network, o.network.model), false, d),
        custom_compiler(program.options, can_send_to_self(program.network, o.network.model), true, d) {
    if (o.system == nullptr) {
      auto system = std::make_shared<ReplaySystem>();
      system->config = default_system(program.network);
      program.options.system = std::move(system);
    }
    prepare_groups();
  }

  void prepare_groups();
  void prepare_system();
  void plan_collectives();
  void add(const Trace& trace);
  void check_graph(const Trace& trace, const std::vector<GraphDefect>& defects, NodeCompiler& with);
  std::shared_ptr<RankCode> compile(const Trace& trace, NodeCompiler& with, std::vector<CompiledMessage>& messages);
  void compile_collective(const Trace& trace, std::uint32_t index, const NodeCollective& c, Op& op);
  std::optional<std::uint32_t> find_group(const Trace& trace, std::uint32_t index, std::string_view name);
  struct CallUse;
  std::uint32_t custom_for(const CallUse& use);
  std::uint32_t put_on_group(std::size_t source, std::uint32_t group, std::int64_t bytes);
  void check_network();
  void check_peers();
  void warn_of_unused_options();
  void note_peers(const Trace& trace, const RankCode& code);
  void keep_names(const Trace& trace, RankCode& code) const;

  Diagnostics& diagnostics;
  ReplayProgram program;
  NodeCompiler compiler;
  NodeCompiler custom_compiler;
  std::string first_name;  // of rank 0, for messages
  std::string last_name;   // of the rank added last
  ChannelIndex channel_index;
  bool failed = false;
  std::vector<CustomSource> sources;
  // (source, group, bytes where it matters) → 1 + custom
  std::map<std::tuple<std::size_t, std::uint32_t, std::int64_t>, std::uint32_t> customs;
  // A collective as it is first called.
  struct CallUse {
    CollectiveCall call;
    std::string prefix;  // of its custom algorithm
    Location where;
    NodeId node;
  };
  std::vector<CallUse> calls;
  std::unordered_multimap<std::size_t, std::uint32_t> call_numbers;  // by hash
  // The highest peer of each rank: whether it exists is known at the end.
  struct HighestPeer {
    std::int64_t peer = -1;
    Location where;
    NodeId node = 0;
  };
  std::vector<HighestPeer> highest_peers;
  std::vector<bool> rules_used;  // of the system; empty before the first collective
};

void ReplayBuilder::State::prepare_groups() {
  program.groups.emplace_back();
  for (const CommGroup& g : program.options.system->groups) {
    SystemGroup group{.id = g.id, .ranks = g.ranks};
    for (std::uint32_t i = 0; i < g.ranks.size(); ++i) group.places.emplace_back(g.ranks[i], i);
    std::sort(group.places.begin(), group.places.end());
    program.groups.push_back(std::move(group));
  }
}

void ReplayBuilder::State::prepare_system() {
  const auto npus = static_cast<std::uint32_t>(program.ranks.size());
  program.model = make_model(program.network, *program.options.system, program.options.astra, npus);
  for (const SystemGroup& g : program.groups) {
    if (g.places.empty() || g.places.back().first < npus) continue;
    throw input_error({},
                      "group " + std::to_string(g.id) + " has rank " + std::to_string(g.places.back().first) +
                          ", but there are " + std::to_string(npus) + " ranks",
                      "groups");
  }
  const MemoryConfig& memory = program.options.system->memory;
  if (memory.kind == MemoryKind::per_node && memory.nodes * memory.npus_per_node < npus) {
    throw input_error({.file = memory.source},
                      "num-nodes times num-npus-per-node is " +
                          std::to_string(memory.nodes * memory.npus_per_node) + ", but there are " +
                          std::to_string(npus) + " NPUs",
                      "memory");
  }
}

void ReplayBuilder::State::check_graph(const Trace& trace, const std::vector<GraphDefect>& defects,
                                       NodeCompiler& with) {
  for (const GraphDefect& d : defects) {
    switch (d.what) {
      case GraphDefect::What::duplicate_id:
        with.error(trace, d.index, "ids", "an earlier node has the same id");
        break;
      case GraphDefect::What::dangling:
        with.error(trace, d.index, "deps", "depends on node " + std::to_string(d.id) + ", which does not exist");
        break;
      case GraphDefect::What::self: with.error(trace, d.index, "deps", "depends on itself"); break;
      case GraphDefect::What::duplicate_edge: break;  // harmless
    }
  }
}

void ReplayBuilder::State::keep_names(const Trace& trace, RankCode& code) const {
  for (std::uint32_t node = 0; node < code.feeder.size(); ++node) {
    code.names += trace.nodes.name(trace.nodes.nodes[code.feeder.index_of(node)]);
    code.name_ends.push_back(static_cast<std::uint32_t>(code.names.size()));
  }
  if (code.names.size() > UINT32_MAX) throw input_error({.file = trace.name}, "more than 4 GiB of node names");
}

std::optional<std::uint32_t> ReplayBuilder::State::find_group(const Trace& trace, std::uint32_t index,
                                                              std::string_view name) {
  if (name.empty() || name == "0") return 0;
  std::int64_t id = 0;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool is_number = bad == std::errc{} && end == name.data() + name.size();
  for (std::uint32_t g = 1; is_number && g < program.groups.size(); ++g) {
    if (program.groups[g].id != id) continue;
    const SystemGroup& group = program.groups[g];
    const std::uint32_t place = group.place(trace.rank);
    if (place < group.ranks.size()) return g;
    compiler.error(trace, index, "groups",
                   "rank " + std::to_string(trace.rank) + " calls a collective of group " + std::string(name) +
                       ", of which it is no member");
    return std::nullopt;
  }
  compiler.error(
      trace, index, "groups",
      "group " + std::string(name.substr(0, 40)) +
          (program.groups.size() == 1 ? " is not defined; give the groups with --comm-group-configuration"
                                      : " is not among the communicator groups"));
  return std::nullopt;
}

// Puts the algorithm of a source onto the ranks of a group, which are its places in the order listed. `bytes`: of
// the whole collective.
std::uint32_t ReplayBuilder::State::put_on_group(std::size_t source_index, std::uint32_t group_index,
                                                 std::int64_t bytes) {
  const CustomSource& source = sources[source_index];
  std::uint32_t& known = customs[{source_index, group_index, source.scales ? bytes : 0}];
  if (known != 0) return known;
  const SystemGroup& group = program.groups[group_index];
  const auto rank_at = [&](Rank p) { return group.ranks.empty() ? p : group.ranks[p]; };
  CustomAlgorithm algorithm;
  for (std::uint32_t place = 0; place < source.places.size(); ++place) {
    auto code = std::make_shared<RankCode>(*source.places[place]);
    for (Op& op : code->ops) {
      if (op.type != OpType::send && op.type != OpType::recv) continue;
      const bool sends = op.type == OpType::send;
      if (op.peer >= source.places.size()) {
        throw input_error({},
                          "the algorithm " + source.prefix + " names place " + std::to_string(op.peer) +
                              ", but has " + std::to_string(source.places.size()) + " places",
                          "custom");
      }
      const CustomSource::Message& m = source.messages[op.channel];
      if (m.of_chunks != 0) op.value = bytes_of_chunks(bytes, m.chunks, m.of_chunks).value_or(0);
      if (op.value <= 0) {
        throw input_error({},
                          "the algorithm " + source.prefix + " cuts " + std::to_string(bytes) + " bytes into " +
                              std::to_string(m.of_chunks) + " chunks, messages of less than a byte or 2^63 bytes",
                          "custom");
      }
      op.channel = channel_index.find_or_add(program.channels, {.bytes = op.value,
                                                                .src = rank_at(sends ? place : op.peer),
                                                                .dst = rank_at(sends ? op.peer : place),
                                                                .tag = m.tag});
      op.peer = rank_at(op.peer);
    }
    algorithm.places.push_back(std::move(code));
  }
  program.customs.push_back(std::move(algorithm));
  known = static_cast<std::uint32_t>(program.customs.size());
  return known;
}

// 1 + the custom algorithm of a call; 0: none.
std::uint32_t ReplayBuilder::State::custom_for(const CallUse& use) {
  if (use.prefix.empty()) return 0;
  const auto source =
      std::find_if(sources.begin(), sources.end(), [&](const auto& s) { return s.prefix == use.prefix; });
  const std::uint32_t members = program.groups[use.call.group].size(program.model);
  const std::size_t places = source == sources.end() ? 0 : source->places.size();
  if (places != members) {
    throw input_error({},
                      "the algorithm " + use.prefix + " is for " + std::to_string(places) +
                          " NPUs, the collective has " + std::to_string(members),
                      "custom");
  }
  std::int64_t bytes = use.call.bytes;  // an all-gather's node states one NPU's part
  if (use.call.op == CollectiveOp::all_gather && __builtin_mul_overflow(bytes, std::int64_t{members}, &bytes))
    throw input_error({}, "the result of the all_gather exceeds 2^63 bytes", "custom");
  return put_on_group(static_cast<std::size_t>(source - sources.begin()), use.call.group, bytes);
}

void ReplayBuilder::State::plan_collectives() {
  prepare_system();
  if (diagnostics.errors() != 0) {  // perhaps of an algorithm that could not be read
    failed = true;
    return;
  }
  for (CallUse& use : calls) {
    try {
      use.call.custom = custom_for(use);
      program.plans.push_back(plan_collective(program.model, program.groups[use.call.group], use.call));
    } catch (const Error& e) {
      failed = true;
      diagnostics.error(use.where, e.rule(), "node " + std::to_string(use.node) + ": " + e.what());
    }
  }
}

// The number of the call among all different ones. Per node wins over per collective.
void ReplayBuilder::State::compile_collective(const Trace& trace, std::uint32_t index, const NodeCollective& c,
                                              Op& op) {
  const auto group = find_group(trace, index, c.group);
  if (!group) return;
  const ReplaySystem& system = *program.options.system;
  const NodeId node = trace.nodes.nodes[index].id;
  if (!program.options.astra && *group == 0 && c.listed_dims && *c.listed_dims < program.network.dims.size()) {
    return compiler.error(trace, index, "attributes",
                          "involved_dim has " + std::to_string(*c.listed_dims) + " values, the network has " +
                              std::to_string(program.network.dims.size()) + " dimensions");
  }
  const auto by_node = system.per_node_custom.find(node);
  CollectiveCall call{.op = c.op, .bytes = c.bytes, .group = *group, .dims = c.dims};
  std::string prefix;
  rules_used.resize(system.rules.size());
  const auto rule = std::find_if(system.rules.begin(), system.rules.end(), [&](const CollectiveRule& r) {
    return r.fits(c.op, program.groups[*group].id, c.bytes);
  });
  if (by_node != system.per_node_custom.end()) {
    prefix = by_node->second;
  } else if (rule != system.rules.end()) {
    prefix = rule->choice.custom;
    rules_used[static_cast<std::size_t>(rule - system.rules.begin())] = true;
    call.list = static_cast<std::uint32_t>(rule - system.rules.begin()) + 1;
  } else if (static_cast<std::size_t>(c.op) < collective_ops) {
    prefix = system.config.collectives.at(static_cast<std::size_t>(c.op)).custom;
  }
  if (c.root) call.root = program.groups[*group].place(*c.root);
  if (system.policy == LinkPolicy::priority) call.priority = c.priority;
  const std::size_t hash = std::hash<std::string>()(prefix) ^ static_cast<std::size_t>(call.bytes) * 31 ^
                           static_cast<std::size_t>(call.op) << 60U ^ std::size_t{call.group} << 32U ^ call.dims;
  for (auto [known, end] = call_numbers.equal_range(hash); known != end; ++known) {
    if (calls[known->second].call == call && calls[known->second].prefix == prefix) {
      op.channel = known->second;
      return;
    }
  }
  op.channel = static_cast<std::uint32_t>(calls.size());
  call_numbers.emplace(hash, op.channel);
  calls.push_back({call, prefix, location_of(trace, index), node});
}

std::shared_ptr<RankCode> ReplayBuilder::State::compile(const Trace& trace, NodeCompiler& with,
                                                        std::vector<CompiledMessage>& messages) {
  const NodeTable& table = trace.nodes;
  std::vector<GraphDefect> defects;
  const Graph graph = build_graph(table, &defects);
  check_graph(trace, defects, with);
  auto code = std::make_shared<RankCode>();
  std::vector<Op> by_index(table.nodes.size());
  messages.assign(table.nodes.size(), {});
  for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
    const CompiledNode node = with.compile(trace, i);
    by_index[i] = node.op;
    messages[i] = {node.tag, node.chunks, node.of_chunks};
    if (node.collective) compile_collective(trace, i, *node.collective, by_index[i]);
  }
  code->roofline = with.take_roofline();
  std::vector<std::uint8_t> lanes;
  if (program.options.issue == IssueMode::workload && &with == &compiler) {
    lanes.reserve(by_index.size());
    for (const Op& op : by_index) lanes.push_back(static_cast<std::uint8_t>(op.slot));
  }
  code->feeder = Feeder(table, graph, lanes);
  bool plain_ids = true;
  code->ops.reserve(by_index.size());
  for (std::uint32_t node = 0; node < by_index.size(); ++node) {
    const std::uint32_t index = code->feeder.index_of(node);
    code->ops.push_back(by_index[index]);
    plain_ids = plain_ids && table.nodes[index].id == node;
  }
  if (!plain_ids) {
    code->ids.reserve(by_index.size());
    for (std::uint32_t node = 0; node < by_index.size(); ++node)
      code->ids.push_back(table.nodes[code->feeder.index_of(node)].id);
  }
  const MemoryTracking memory = program.options.memory;
  if (program.options.timeline || program.options.explain || memory == MemoryTracking::trace)
    keep_names(trace, *code);
  if (memory != MemoryTracking::off && &with == &compiler)
    code->tensors = compile_tensors(trace, code->feeder, with);
  return code;
}

void ReplayBuilder::State::note_peers(const Trace& trace, const RankCode& code) {
  HighestPeer& highest = highest_peers.emplace_back();
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    const Op& op = code.ops[node];
    if (op.type != OpType::send && op.type != OpType::recv) continue;
    if (std::int64_t{op.peer} <= highest.peer) continue;
    highest = {op.peer, location_of(trace, code.feeder.index_of(node)), code.id(node)};
  }
}

void ReplayBuilder::State::add(const Trace& trace) {
  const auto rank = static_cast<Rank>(program.ranks.size());
  if (trace.rank != rank) {
    throw input_error({.file = trace.name}, "rank " + std::to_string(trace.rank) +
                                                ", but there is no trace of rank " + std::to_string(rank) +
                                                file_of_rank(trace.name, trace.rank, rank) +
                                                ": a replay takes all ranks from 0 on");
  }
  if (program.ops + trace.nodes.nodes.size() >= no_message) {
    throw input_error({.file = trace.name}, "more than 4294967294 nodes in all ranks");
  }
  if (rank == 0) first_name = trace.name;
  last_name = trace.name;
  std::vector<CompiledMessage> messages;
  const std::shared_ptr<RankCode> code = compile(trace, compiler, messages);
  bool has_messages = false;
  for (std::uint32_t node = 0; node < code->ops.size(); ++node) {
    Op& op = code->ops[node];
    if (op.type != OpType::send && op.type != OpType::recv) continue;
    has_messages = true;
    const bool sends = op.type == OpType::send;
    op.channel = channel_index.find_or_add(program.channels, {.bytes = op.value,
                                                              .src = sends ? rank : op.peer,
                                                              .dst = sends ? op.peer : rank,
                                                              .tag = messages[code->feeder.index_of(node)].tag});
  }
  note_peers(trace, *code);
  RankProgram& added = program.ranks.emplace_back();
  added.first_op = program.ops;
  added.code = code;
  program.ops += static_cast<std::uint32_t>(code->ops.size());
  if (rank != 0 && !has_messages && same_code(*program.ranks[rank - 1].code, *code))
    added.code = program.ranks[rank - 1].code;
}

void ReplayBuilder::State::check_network() {
  const NetworkConfig& network = program.network;
  const auto ranks = static_cast<std::int64_t>(program.ranks.size());
  if (network.ideal || network.npus() == ranks) return;
  failed = true;
  const std::string has = "the network has " + std::to_string(network.npus()) + " NPUs";
  if (network.npus() < ranks) {
    return diagnostics.error({.file = network.source}, "network",
                             has + ", but there are traces of " + std::to_string(ranks) + " ranks");
  }
  const bool one = network.npus() == ranks + 1;
  const auto last = static_cast<Rank>(ranks - 1);
  std::string text = one ? "no trace of rank " : "no traces of ranks ";
  text += std::to_string(ranks) + (one ? "" : " to " + std::to_string(network.npus() - 1));
  const std::string file = file_of_rank(last_name, last, last + 1);
  const bool is_set = !file.empty() && (last == 0 || last_name != first_name);
  if (is_set) text += one ? file : file.substr(0, file.size() - 1) + " …)";
  text += ": " + has + (is_set || ranks > 1 ? "; " : "");
  if (is_set) text += one ? "add it" : "add them";
  if (ranks > 1)
    text += std::string(is_set ? ", or " : "") + "give a network of " + std::to_string(ranks) + " NPUs";
  diagnostics.error({.file = network.source}, "network", text);
}

void ReplayBuilder::State::check_peers() {
  const auto ranks = static_cast<std::int64_t>(program.ranks.size());
  // Where a trace is missing, that is what is wrong.
  const std::int64_t expected = program.network.ideal ? ranks : std::max(ranks, program.network.npus());
  for (const HighestPeer& highest : highest_peers) {
    if (highest.peer < expected) continue;
    failed = true;
    diagnostics.error(highest.where, "peers",
                      "node " + std::to_string(highest.node) + ": its peer is rank " +
                          std::to_string(highest.peer) + ", but there are " + std::to_string(ranks) + " ranks");
  }
}

void ReplayBuilder::State::warn_of_unused_options() {
  if (program.options.size_bytes && !compiler.size_used() && !custom_compiler.size_used()) {
    diagnostics.warning({.file = first_name}, "sizes", "--size is not used: the messages have sizes of their own");
  }
  const ReplaySystem& system = *program.options.system;
  if (system.injection_scale != 1 && !system.config.endpoint_delay_given)
    diagnostics.warning({}, "system", "--injection-scale is not used: no system file states an endpoint-delay");
  if (system.config.shared_bus && !program.options.astra) {
    diagnostics.warning({.file = system.config.source}, "system",
                        "model-shared-bus is not used: it is a part of ASTRA-sim's rules (--compat astra)");
  }
  const std::vector<CollectiveRule>& rules = system.rules;
  rules_used.resize(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules_used[i]) continue;
    const CollectiveRule& r = rules[i];
    std::string text = "no collective takes the algorithm for " + (r.op ? std::string(name(*r.op)) : "all");
    if (r.group) text += ":pg=" + std::to_string(*r.group);
    if (r.min_bytes != 0) text += ":size>=" + std::to_string(r.min_bytes);
    if (r.end_bytes != INT64_MAX) text += ":size<" + std::to_string(r.end_bytes);
    diagnostics.warning({.file = first_name}, "collective", text);
  }
}

ReplayBuilder::ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(std::move(network), options, diagnostics)) {
  if (options.size_bytes && *options.size_bytes < 1) throw usage_error("--size wants at least one byte");
}
ReplayBuilder::~ReplayBuilder() = default;

void ReplayBuilder::add(const Trace& trace) { state_->add(trace); }

void ReplayBuilder::add_custom(const std::string& prefix, const Trace& trace) {
  State& s = *state_;
  if (s.sources.empty() || s.sources.back().prefix != prefix) s.sources.push_back({.prefix = prefix});
  CustomSource& source = s.sources.back();
  if (trace.rank != source.places.size()) {
    throw input_error({.file = trace.name}, "rank " + std::to_string(trace.rank) + " where rank " +
                                                std::to_string(source.places.size()) + " is expected");
  }
  if (trace.nodes.nodes.empty()) throw input_error({.file = trace.name}, "an algorithm without a node", "custom");
  std::vector<CompiledMessage> messages;
  const std::shared_ptr<RankCode> code = s.compile(trace, s.custom_compiler, messages);
  for (std::uint32_t node = 0; node < code->ops.size(); ++node) {
    Op& op = code->ops[node];
    if (op.type != OpType::send && op.type != OpType::recv) continue;
    op.channel = static_cast<std::uint32_t>(source.messages.size());
    const CompiledMessage& m = messages[code->feeder.index_of(node)];
    source.messages.push_back({m.tag, m.chunks, m.of_chunks});
    source.scales = source.scales || m.of_chunks != 0;
  }
  source.places.push_back(code);
}

std::optional<ReplayProgram> ReplayBuilder::finish() {
  State& s = *state_;
  if (s.program.ranks.empty()) throw Error("there is no trace to replay");
  s.check_network();
  s.check_peers();
  if (!s.failed && !s.compiler.failed() && !s.custom_compiler.failed()) s.plan_collectives();
  if (s.failed || s.compiler.failed() || s.custom_compiler.failed()) return std::nullopt;
  s.warn_of_unused_options();
  s.program.channels.shrink_to_fit();
  return std::move(s.program);
}

}  // namespace convert
