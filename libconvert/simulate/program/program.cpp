// SPDX-License-Identifier: MIT
#include "simulate/program/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/algorithm/algorithm.h"
#include "core/attr_names.h"
#include "core/collective.h"
#include "core/units.h"
#include "machine/chosen.h"
#include "simulate/astra/issue_order.h"
#include "simulate/engine/local_memory.h"
#include "simulate/program/builder.h"
#include "simulate/program/threadblock_use.h"

namespace convert {
namespace {

bool same_code(const RankCode& a, const RankCode& b) {
  if ((a.tensors == nullptr) != (b.tensors == nullptr) || (a.tensors != nullptr && *a.tensors != *b.tensors))
    return false;
  if ((a.ways == nullptr) != (b.ways == nullptr) || (a.ways != nullptr && *a.ways != *b.ways)) return false;
  return a.threadblocks == b.threadblocks && a.ops == b.ops && a.ids == b.ids && a.names == b.names &&
         a.name_ends == b.name_ends && a.roofline == b.roofline && a.feeder.same_graph(b.feeder);
}

// Codes with equal hashes rarely differ in ids, edges and names.
std::uint64_t hash_of(const RankCode& code) {
  std::uint64_t h = code.ops.size();
  for (const Op& op : code.ops) {
    h = (h ^ static_cast<std::uint64_t>(op.value)) * 0x9e3779b97f4a7c15U;
    h ^= (h >> 29U) + (std::uint64_t{op.channel} << 32U | op.peer);
    h = (h ^ op.end.bits()) * 0xbf58476d1ce4e5b9U;
  }
  return h ^ h >> 31U;
}

NodeEnd end_of(const RankCode& code, std::uint32_t node) {
  const Op& op = code.ops[node];
  const std::span<const std::uint32_t> children = code.feeder.children(node);
  const bool pair = children.size() == 2 && children[1] == children[0] + 1;
  const bool alone = children.size() == 1;
  const std::uint32_t to_child = (alone || pair) && children[0] > node ? children[0] - node : 0;
  return {op.type, op.slot, op.is_compute, children.empty(), to_child, pair};
}

}  // namespace

std::vector<std::uint32_t> nodes_by_index(const RankCode& code) {
  std::vector<std::uint32_t> nodes(code.feeder.size());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) nodes[code.feeder.index_of(node)] = node;
  return nodes;
}

std::string_view name(IssueMode mode) {
  constexpr std::array<std::string_view, 3> names = {"algorithm", "workload", "unlimited"};
  return names[static_cast<std::size_t>(mode)];
}

IssueMode default_issue_mode(const Trace& trace) {
  if (find(trace.metadata.table.attrs, attr::collective) != nullptr) return IssueMode::algorithm;
  bool recorded = false;
  for (const Node& n : trace.nodes.nodes) {
    for (const Attr& a : trace.nodes.attributes(n)) {
      if (a.name == attr::tb_id) return IssueMode::algorithm;
      recorded = recorded || a.name == attr::dep_rules;
    }
  }
  return recorded ? IssueMode::unlimited : IssueMode::workload;
}

std::string_view RankCode::node_name(std::uint32_t node) const {
  if (name_ends.empty()) return {};
  const std::uint32_t begin = node == 0 ? 0 : name_ends[node - 1];
  return std::string_view(names).substr(begin, name_ends[node] - begin);
}

void ReplayBuilder::State::keep_names(const Trace& trace, RankCode& code) const {
  for (std::uint32_t node = 0; node < code.feeder.size(); ++node) {
    code.names += trace.nodes.name(trace.nodes.nodes[code.feeder.index_of(node)]);
    code.name_ends.push_back(static_cast<std::uint32_t>(code.names.size()));
  }
  if (code.names.size() > UINT32_MAX) throw input_error({.file = trace.name}, "more than 4 GiB of node names");
}

CompiledRank ReplayBuilder::State::compile(const Trace& trace, NodeCompiler& with,
                                           const OnCollective& on_collective, std::span<const Rank> places) const {
  const NodeTable& table = trace.nodes;
  std::vector<GraphDefect> defects;
  const SendWayReader::Use ways = send_ways.use_of(trace);
  const bool has_turns = ways == SendWayReader::Use::own;
  const Graph graph = has_turns ? build_graph(table, &defects, keeps_link_order) : build_graph(table, &defects);
  report_defects(trace, defects, with);
  CompiledRank rank{.code = std::make_shared<RankCode>(), .foreign_order = ways == SendWayReader::Use::foreign};
  if (has_turns) rank.other_forwarding = send_ways.other_forwarding(trace);
  RankCode& code = *rank.code;
  std::vector<Op> by_index(table.nodes.size());
  rank.messages.resize(table.nodes.size());
  bool other_names = false;
  const bool is_algorithm = with.inside() || program.options.issue == IssueMode::algorithm;
  bool has_programs = is_algorithm;
  for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
    const CompiledNode node = with.compile(trace, i);
    by_index[i] = node.op;
    other_names = other_names || node.has_others;
    has_programs = has_programs || node.of_program;
    rank.messages[i] = {node.tag, node.chunks, node.of_chunks, node.names_own};
    if (node.collective) on_collective(i, *node.collective, by_index[i]);
  }
  if (has_programs && times_programs()) mark_programs(trace, graph, is_algorithm, by_index);
  rank.call_order = order_of_calls(trace, graph, by_index);
  code.roofline = with.take_roofline();
  std::vector<std::uint8_t> lanes;
  if (program.options.issue == IssueMode::workload && !with.inside()) {
    lanes.reserve(by_index.size());
    for (const Op& op : by_index) lanes.push_back(static_cast<std::uint8_t>(op.slot));
  }
  code.feeder = Feeder(table, graph, lanes);
  if (has_turns) {
    code.ways = send_ways.read(trace, code.feeder, places, with);
  } else if (other_names) {
    code.ways = send_ways.read_nets(trace, code.feeder);
  }
  bool plain_ids = true;
  code.ops.reserve(by_index.size());
  for (std::uint32_t node = 0; node < by_index.size(); ++node) {
    const std::uint32_t index = code.feeder.index_of(node);
    Op& op = code.ops.emplace_back(by_index[index]);
    op.end = end_of(code, node);
    plain_ids = plain_ids && table.nodes[index].id == node;
  }
  code.threadblocks = threadblock_use(trace, code);
  if (!plain_ids) {
    code.ids.reserve(by_index.size());
    for (std::uint32_t node = 0; node < by_index.size(); ++node)
      code.ids.push_back(table.nodes[code.feeder.index_of(node)].id);
  }
  const MemoryTracking memory = program.options.memory;
  if (program.options.timeline || program.options.explain || memory == MemoryTracking::trace)
    keep_names(trace, code);
  if (memory != MemoryTracking::off && !with.inside()) code.tensors = compile_tensors(trace, code.feeder, with);
  if (program.rules.issues_in_hash_order() && with.inside() && !with.failed())
    code.issue_order = std::make_shared<IssueOrder>(table, graph, code.feeder);
  return rank;
}

std::shared_ptr<CompiledRank> ReplayBuilder::State::prepare(const Trace& trace) const {
  Diagnostics findings;
  NodeCompiler with(program.options, program.rules, self_allowed(), false, findings);
  std::vector<std::pair<std::uint32_t, NodeCollective>> collectives;
  auto rank = std::make_shared<CompiledRank>(compile(
      trace, with,
      [&](std::uint32_t index, const NodeCollective& c, const Op& /*op*/) { collectives.emplace_back(index, c); }));
  if (with.failed() || findings.errors() + findings.warnings() != 0) return nullptr;
  rank->collectives = std::move(collectives);
  rank->use = with.use();
  return rank;
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

void ReplayBuilder::State::note_order(const Trace& trace, const CompiledRank& rank) {
  if (!rank.other_forwarding.empty() && !std::exchange(forwarding_noted, true)) {
    program.notes.push_back(trace.name + ": scheduled for --forwarding " + rank.other_forwarding +
                            "; the replay matches the claimed time only with --forwarding " +
                            rank.other_forwarding);
  }
  if (!rank.foreign_order || std::exchange(foreign_order_noted, true)) return;
  program.notes.push_back(trace.name + ": scheduled for another network, so its link order is ignored: control " +
                          "dependencies, if any, keep the order and wait for arrivals");
}

bool ReplayProgram::has_turns() const {
  const auto has = [](const auto& code) { return code != nullptr && code->ways != nullptr; };
  return std::ranges::any_of(ranks, [&](const RankProgram& r) { return has(r.code); }) ||
         std::ranges::any_of(customs, [&](const CustomAlgorithm& c) { return std::ranges::any_of(c.places, has); });
}

void ReplayBuilder::State::begin_rank(Rank rank, const std::string& name) {
  const auto next = static_cast<Rank>(program.ranks.size());
  if (rank != next) {
    throw input_error({.file = name}, "rank " + std::to_string(rank) + ", but there is no trace of rank " +
                                          std::to_string(next) + file_of_rank(name, rank, next) +
                                          ": a replay requires all ranks from 0");
  }
  if (next == 0) first_name = name;
  last_name = name;
}

void ReplayBuilder::State::add(const Trace& trace) {
  begin_rank(trace.rank, trace.name);
  const Omissions omitted = compiler.omitted();
  const std::size_t told = diagnostics.errors() + diagnostics.warnings();
  CompiledRank rank = compile(trace, compiler, [&](std::uint32_t index, const NodeCollective& c, Op& op) {
    compile_collective(trace, index, c, op);
  });
  added.push_back({compiler.omitted().since(omitted), diagnostics.errors() + diagnostics.warnings() != told});
  add_compiled(trace, rank);
}

// Does the work that depends on the order of ranks: numbers the calls.
void ReplayBuilder::State::add(const Trace& trace, CompiledRank& rank) {
  begin_rank(trace.rank, trace.name);
  const std::size_t told = diagnostics.errors() + diagnostics.warnings();
  RankCode& code = *rank.code;
  const std::vector<std::uint32_t> nodes = nodes_by_index(code);
  for (const auto& [index, collective] : rank.collectives) {
    Op& op = code.ops[nodes[index]];
    compile_collective(trace, index, collective, op);
    if (op.type == OpType::collective) continue;  // free: another op
    op.end = end_of(code, nodes[index]);
  }
  compiler.add(rank.use);
  added.push_back({rank.use.omitted, diagnostics.errors() + diagnostics.warnings() != told});
  add_compiled(trace, rank);
}

void ReplayBuilder::State::add_compiled(const Trace& trace, CompiledRank& rank) {
  number_collectives(rank);
  note_order(trace, rank);
  note_peers(trace, *rank.code);
  RankProgram& to = program.ranks.emplace_back();
  number(*rank.code, rank.messages, to);
  to.code = known_code(rank.code);
  if (to.code->tags != rank.code->tags) to.tags = rank.code->tags;
  last_messages = std::move(rank.messages);
}

// Numbers the messages and the calls of a rank.
void ReplayBuilder::State::number(RankCode& code, const std::vector<CompiledMessage>& messages, RankProgram& rank) {
  const auto current = static_cast<std::uint32_t>(program.ranks.size());
  numbered.resize(calls.size(), {0, 0});
  for (std::uint32_t node = 0; node < code.ops.size(); ++node) {
    Op& op = code.ops[node];
    if (op.type == OpType::send || op.type == OpType::recv) {
      rank.peers.push_back(std::exchange(op.peer, 0));
      code.tags.push_back(messages[code.feeder.index_of(node)].tag);
      op.channel = static_cast<std::uint32_t>(rank.peers.size() - 1);
    } else if (op.type == OpType::collective) {
      const std::uint32_t call = op.channel;
      const bool known = call < calls.size() && numbered[call].rank == current;
      op.channel = known ? numbered[call].number : static_cast<std::uint32_t>(rank.plans.size());
      if (known) continue;
      rank.plans.push_back(call);
      if (call < calls.size()) numbered[call] = {current, op.channel};
    }
  }
  code.hash = hash_of(code);
}

// Returns an equal code of another rank, or this code.
std::shared_ptr<const RankCode> ReplayBuilder::State::known_code(const std::shared_ptr<RankCode>& code) {
  const auto [first, end] = codes.equal_range(code->hash);
  for (auto c = first; c != end; ++c) {
    if (same_code(*c->second, *code)) return c->second;
  }
  codes.emplace(code->hash, code);
  return code;
}

ReplayBuilder::ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(std::move(network), options, diagnostics)) {
  if (options.size_bytes && *options.size_bytes < 1) throw usage_error("--size requires at least 1 byte");
}
ReplayBuilder::~ReplayBuilder() = default;

void ReplayBuilder::add(const Trace& trace) { state_->add(trace); }
bool ReplayBuilder::add_like(Rank like, const Likeness& how) { return state_->add_like(like, how); }
std::shared_ptr<const RankModel> ReplayBuilder::model_of_last() const { return state_->model_of_last(); }
std::optional<LikeRank> ReplayBuilder::like(const std::shared_ptr<const RankModel>& model,
                                            const RankChanges& changes) const {
  return state_->like(model, changes);
}
void ReplayBuilder::add(LikeRank&& rank) { state_->add(std::move(rank)); }
std::shared_ptr<CompiledRank> ReplayBuilder::prepare(const Trace& trace) const { return state_->prepare(trace); }
void ReplayBuilder::add(const Trace& trace, CompiledRank& prepared) { state_->add(trace, prepared); }

void ReplayBuilder::add_custom(const std::string& prefix, const Trace& trace, const ChunkRunsOf& runs,
                               const std::vector<std::int32_t>& relays, std::span<const Rank> ranks) {
  State& s = *state_;
  // An algorithm of the library has the same name for groups of other sizes.
  const bool is_another = s.sources.empty() || s.sources.back().prefix != prefix;
  if (is_another || (is_builtin(prefix) && trace.rank == 0)) s.sources.push_back({.prefix = prefix});
  CustomSource& source = s.sources.back();
  if (trace.rank != source.places.size()) {
    throw input_error({.file = trace.name}, "rank " + std::to_string(trace.rank) + " found, rank " +
                                                std::to_string(source.places.size()) + " is expected");
  }
  if (trace.nodes.nodes.empty()) throw input_error({.file = trace.name}, "the algorithm has no nodes", "custom");
  const AttrTable& metadata = trace.metadata.table;
  if (const auto text = string_value(metadata, metadata.attrs, attr::collective)) {
    const auto known = parse_collective(*text, in_algorithms);
    source.collective = known ? name(*known) : *text;
  }
  if (source.places.empty()) {
    source.relays = relays;
    source.ranks.assign(ranks.begin(), ranks.end());
  }
  const CompiledRank compiled = s.compile(trace, s.custom_compiler, {}, source.ranks);
  const std::shared_ptr<RankCode>& code = compiled.code;
  s.note_order(trace, compiled);
  for (std::uint32_t node = 0; node < code->ops.size(); ++node) {
    Op& op = code->ops[node];
    if (op.type != OpType::send && op.type != OpType::recv) continue;
    op.channel = static_cast<std::uint32_t>(source.messages.size());
    const CompiledMessage& m = compiled.messages[code->feeder.index_of(node)];
    CustomSource::Message& message =
        source.messages.emplace_back(CustomSource::Message{m.tag, m.chunks, m.of_chunks});
    if (runs && m.of_chunks != 0) {
      const auto carried = runs(trace, code->feeder.index_of(node));
      message.runs = {static_cast<std::uint32_t>(source.runs.size()), static_cast<std::uint32_t>(carried.size())};
      source.runs.insert(source.runs.end(), carried.begin(), carried.end());
    }
    source.chunks = std::max(source.chunks, m.of_chunks);
  }
  source.places.push_back(code);
}

void ReplayBuilder::set_library(Library library) { state_->library = std::move(library); }

std::optional<ReplayProgram> ReplayBuilder::finish() {
  State& s = *state_;
  if (s.program.ranks.empty()) throw Error("there is no trace to replay");
  fit_nodes(s.program.network, static_cast<std::uint32_t>(s.program.ranks.size()));
  s.check_network();
  s.check_peers();
  s.compiler.report_memory();
  if (!s.failed && !s.compiler.failed() && !s.custom_compiler.failed()) s.plan_collectives();
  if (s.failed || s.compiler.failed() || s.custom_compiler.failed()) return std::nullopt;
  s.note_gaps();
  s.note_nets();
  s.warn_of_unused_options();
  warn_of_times(s.compiler.omitted(), s.diagnostics);
  s.program.omitted = s.compiler.omitted();
  const auto& machine = s.program.network.machine;
  if (machine != nullptr && s.program.options.network.model != NetworkModel::fair) {
    s.program.notes.push_back("machine " + machine->machine().name +
                              ": its times of collective calls count only with --model fair");
  }
  return std::move(s.program);
}

}  // namespace convert
