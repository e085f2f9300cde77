// SPDX-License-Identifier: MIT
#include "analyze/sets/rank_statistics.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analyze/sets/node_times.h"
#include "analyze/sets/redundant.h"
#include "core/found_attrs.h"
#include "core/words.h"
#include "graph/algorithms.h"
#include "graph/communication_marks.h"
#include "graph/graph.h"

namespace convert {
namespace {

constexpr std::array fact_names = {attr::comm_size,   attr::comm_type,   attr::pg_name,   attr::comm_dst,
                                   attr::num_ops,     attr::tensor_size, attr::is_cpu_op, attr::duration_nanos,
                                   attr::start_nanos, attr::stream,      attr::dep_rules};
using NodeFacts = FoundAttrs<fact_names>;

constexpr std::uint32_t most_names = 1'000'000;  // of a rank; further names are counted together

}  // namespace

class RankCounter::Counter {
 public:
  Counter(Trace& trace, const RankWishes& wishes) : table_(trace.nodes), wishes_(wishes) { out_.rank = trace.rank; }

  void add_nodes() {
    for (const Node& node : table_.nodes) add_node(node);
  }

  RankStatistics finish() {
    out_.nodes = table_.nodes.size();
    if (wishes_.idle) out_.streams = std::exchange(idle_, {}).finish(table_);
    add_graph();
    for (auto& [peer, sent] : sent_) out_.sent_to.push_back({peer, sent.messages, sent.bytes});
    for (auto& [key, calls] : calls_) out_.collectives.push_back(std::move(calls));
    return std::move(out_);
  }

 private:
  void add_node(const Node& node) {
    facts_.read(table_.attributes(node));
    const auto number = static_cast<std::uint32_t>(node.type);
    const std::size_t type = number < RankStatistics::types - 1 ? number : RankStatistics::types - 1;
    const IntValue cpu = int_value(facts_[attr::is_cpu_op]);
    const bool on_cpu = cpu && cpu.value != 0;
    out_.on_cpu += on_cpu ? 1 : 0;
    const std::optional<Picoseconds> time = duration(node);
    note_span(node, time.value_or(0));
    out_.has_streams = out_.has_streams || facts_[attr::stream] != nullptr;
    const std::optional<std::int64_t> bytes = bytes_of(node);
    const auto count = [&](RankStatistics::Nodes& nodes) {
      ++nodes.count;
      nodes.timed += time ? 1 : 0;
      nodes.time_ps.add(time.value_or(0));
      nodes.bytes.add(bytes.value_or(0));
    };
    count(out_.by_type[type]);
    const auto is_unknown = [](const Attr& a) { return a.name == unknown_communication; };
    if (node.type == NodeType::comp && std::ranges::any_of(table_.attributes(node), is_unknown))
      count(out_.unknown_communication);
    if (wishes_.names) {
      RankStatistics::Nodes& named = out_.by_name[name_number(node)];
      count(named);
      if (wishes_.by == NodeKey::name && time) named.durations.push_back(*time);
    }
    if (wishes_.by != NodeKey::nothing && wishes_.by != NodeKey::name) {
      RankStatistics::Nodes& keyed = out_.by_key[key_number(node)];
      count(keyed);
      if (time) keyed.durations.push_back(*time);
    }
    if (wishes_.path) {
      out_.path.time_ps.push_back(time.value_or(0));
      out_.path.work.push_back(work_of(node, on_cpu));
    }
    if (wishes_.idle) {
      idle_.add(table_, node,
                {.begin_ns = start_ns_of(node, int_value(facts_[attr::start_nanos])),
                 .time_ps = duration_of(node, int_value(facts_[attr::duration_nanos])),
                 .stream = int_value(facts_[attr::stream]),
                 .on_cpu = on_cpu,
                 .dep_rules = facts_[attr::dep_rules]});
    }
  }

  static PathRank::Work work_of(const Node& node, bool on_cpu) {
    switch (node.type) {
      case NodeType::comp: return on_cpu ? PathRank::Work::host : PathRank::Work::compute;
      case NodeType::mem_load:
      case NodeType::mem_store: return PathRank::Work::memory;
      case NodeType::comm_send:
      case NodeType::comm_recv:
      case NodeType::comm_coll: return PathRank::Work::communication;
      default: return PathRank::Work::none;
    }
  }

  // Returns the recorded duration, else the duration of its operations; nothing if the node has neither.
  std::optional<Picoseconds> duration(const Node& node) {
    const IntValue exact = int_value(facts_[attr::duration_nanos]);
    if (const Picoseconds told = duration_of(node, exact); told >= 0) return told;
    if (exact || node.duration_us != 0) {
      ++out_.defects.bad_times;
      return std::nullopt;
    }
    if (node.type != NodeType::comp || wishes_.ops_per_ns <= 0) return std::nullopt;
    const IntValue ops = int_value(facts_[attr::num_ops]);
    if (!ops || ops.value < 0) return std::nullopt;
    const double ps = static_cast<double>(ops.value) / wishes_.ops_per_ns * 1000;
    return ps < 9e18 ? std::optional(static_cast<Picoseconds>(ps)) : std::nullopt;
  }

  void note_span(const Node& node, Picoseconds time) {
    if (node.type == NodeType::metadata) return;
    const std::int64_t begin = start_ns_of(node, int_value(facts_[attr::start_nanos]));
    std::int64_t end = 0;
    if (begin < 0 && node.start_us == 0) return;
    if (begin < 0 || __builtin_add_overflow(begin, time / ps_per_ns, &end)) {
      ++out_.defects.bad_times;
      return;
    }
    if (out_.first_start_ns < 0 || begin < out_.first_start_ns) out_.first_start_ns = begin;
    out_.last_end_ns = std::max(out_.last_end_ns, end);
  }

  // Returns the value of an attribute that must not be negative. Returns nothing if it is absent or wrong; wrong
  // values are counted.
  std::optional<std::int64_t> amount(Name name) {
    const IntValue v = int_value(facts_[name]);
    if (v && v.value >= 0) return v.value;
    if (v.status != IntValue::Status::absent) ++out_.defects.bad_sizes;
    return std::nullopt;
  }

  // Returns the bytes of a message or collective and counts it. Returns nothing for other nodes and unknown sizes.
  std::optional<std::int64_t> bytes_of(const Node& node) {
    const auto add = [](Sum& to, std::optional<std::int64_t> n) { to.add(n.value_or(0)); };
    switch (node.type) {
      case NodeType::comp:
        add(out_.operations, amount(attr::num_ops));
        add(out_.tensor_bytes, amount(attr::tensor_size));
        return std::nullopt;
      case NodeType::mem_load: add(out_.loaded_bytes, amount(attr::tensor_size)); return std::nullopt;
      case NodeType::mem_store: add(out_.stored_bytes, amount(attr::tensor_size)); return std::nullopt;
      case NodeType::comm_send: return count_send();
      case NodeType::comm_recv: {
        ++out_.recvs;
        const std::optional<std::int64_t> bytes = comm_bytes();
        add(out_.received_bytes, bytes);
        return bytes;
      }
      case NodeType::comm_coll: return count_call();
      default: return std::nullopt;
    }
  }

  std::optional<std::int64_t> comm_bytes() {
    const std::optional<std::int64_t> bytes = amount(attr::comm_size);
    if (!bytes) ++out_.defects.unsized;
    return bytes;
  }

  std::optional<std::int64_t> count_send() {
    ++out_.sends;
    const std::optional<std::int64_t> bytes = comm_bytes();
    if (bytes) {
      out_.sent_bytes.add(*bytes);
      out_.message_sizes.add(*bytes);
    }
    const IntValue peer = int_value(facts_[attr::comm_dst]);
    if (peer) {
      RankStatistics::Sent& sent = sent_[peer.value];
      ++sent.messages;
      sent.bytes.add(bytes.value_or(0));
    }
    return bytes;
  }

  std::optional<std::int64_t> count_call() {
    ++out_.calls;
    const IntValue type = int_value(facts_[attr::comm_type]);
    const bool known = type && in_traces(collective_of(type.value));
    const std::uint32_t op = known ? static_cast<std::uint32_t>(type.value) : CollectiveNode::unknown_type;
    const bool barrier = known && collective_of(type.value) == Collective::barrier;
    const std::optional<std::int64_t> bytes = barrier ? amount(attr::comm_size) : comm_bytes();
    if (bytes) out_.call_bytes.add(*bytes);
    if (bytes) out_.call_sizes.add(*bytes);
    const std::uint32_t size_class =
        !bytes ? SizeClasses::zero + 1
               : static_cast<std::uint32_t>(*bytes == 0 ? SizeClasses::zero
                                                        : std::bit_width(static_cast<std::uint64_t>(*bytes)) - 1);
    const std::string_view group = group_name();
    auto at = calls_.find(CallKey(op, group, size_class));
    if (at == calls_.end()) {
      at = calls_.try_emplace(CallKey(op, group, size_class)).first;
      at->second.op = op;
      at->second.group = group;
      at->second.size_class = size_class;
    }
    ++at->second.count;
    at->second.bytes.add(bytes.value_or(0));
    return bytes;
  }

  // Returns pg_name of the node; empty if it has none, and for "0" (all ranks).
  [[nodiscard]] std::string_view group_name() const {
    const Attr* group = facts_[attr::pg_name];
    if (group == nullptr || group->kind != Kind::string_val) return {};
    const std::string_view name = table_.string(*group);
    return name == "0" ? std::string_view() : name;
  }

  std::size_t name_number(const Node& node) {
    if (out_.names.size() == 0) {
      (void)out_.names.add("");  // also for names after the first million
      out_.by_name.emplace_back();
    }
    if (out_.names.size() >= most_names) {
      ++out_.unnamed_apart;
      return 0;
    }
    const std::uint32_t number = out_.names.add(table_.name(node));
    if (number == out_.by_name.size()) out_.by_name.emplace_back();
    return number;
  }

  std::size_t key_number(const Node& node) {
    const auto number_of = [&](std::string_view text) {
      const auto [at, is_new] = key_numbers_.try_emplace(std::string(text), out_.by_key.size());
      if (is_new) {
        out_.key_names.emplace_back(text);
        out_.by_key.emplace_back();
      }
      return at->second;
    };
    if (wishes_.by == NodeKey::rank) return number_of(std::to_string(out_.rank));
    if (wishes_.by == NodeKey::group) {
      if (node.type != NodeType::comm_coll && facts_[attr::pg_name] == nullptr)
        return number_of(RankStatistics::no_group);
      const std::string_view group = group_name();
      return number_of(group.empty() ? RankStatistics::all_ranks : group);
    }
    const std::string_view type = node_type_name(node.type);
    return number_of(type.empty() ? "type " + std::to_string(static_cast<std::int32_t>(node.type)) : type);
  }

  void add_graph() {
    std::vector<GraphDefect> defects;
    const Graph graph = build_graph(table_, &defects);
    table_.deps = {};
    for (const GraphDefect& d : defects) {
      using What = GraphDefect::What;
      out_.defects.duplicate_ids += d.what == What::duplicate_id ? 1 : 0;
      out_.defects.dangling += d.what == What::dangling || d.what == What::self ? 1 : 0;
      out_.defects.repeated += d.what == What::duplicate_edge ? 1 : 0;
    }
    bool in_order = true;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      const auto parents = graph.parents(i);
      out_.roots += parents.empty() ? 1 : 0;
      out_.most_parents = std::max<std::uint64_t>(out_.most_parents, parents.size());
      out_.most_children = std::max<std::uint64_t>(out_.most_children, graph.children(i).size());
      for (const Edge& e : parents) {
        ++(e.kind == DepKind::data ? out_.data_edges : out_.control_edges);
        in_order = in_order && e.node < i;
      }
    }
    std::vector<std::uint32_t> sorted;
    if (!in_order) sorted = topological_order(graph);
    const std::vector<std::uint32_t>* const order = in_order ? nullptr : &sorted;
    add_depth(graph, order);
    if (wishes_.redundant) find_redundant(graph, order, out_.redundant_edges, out_.edges_not_searched);
    if (wishes_.path) keep_graph(graph);
  }

  // `order`: null if the order of the file is topological.
  void add_depth(const Graph& graph, const std::vector<std::uint32_t>* order) {
    std::vector<std::uint32_t> depth(graph.size());
    const std::size_t n = order == nullptr ? graph.size() : order->size();
    out_.defects.behind_cycles = graph.size() - n;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t i = order == nullptr ? k : (*order)[k];
      std::uint32_t most = 0;
      for (const Edge& e : graph.parents(i)) most = std::max(most, depth[e.node]);
      depth[i] = most + 1;
      out_.depth = std::max<std::uint64_t>(out_.depth, depth[i]);
    }
  }

  void keep_graph(const Graph& graph) {
    PathRank& p = out_.path;
    p.rank = out_.rank;
    const std::vector<std::uint32_t> order = communication_order(table_, graph);
    p.messages = messages_of(table_, order);
    p.collectives = collectives_of(table_, order);
    p.ids.reserve(graph.size());
    for (const Node& node : table_.nodes) p.ids.push_back(node.id);
    table_ = {};
    p.child_begin.reserve(graph.size() + 1);
    p.child_begin.push_back(0);
    p.children.reserve(graph.edges());
    p.parents.reserve(graph.size());
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      p.parents.push_back(static_cast<std::uint32_t>(graph.parents(i).size()));
      for (const Edge& e : graph.children(i)) p.children.push_back(e.node);
      p.child_begin.push_back(static_cast<std::uint32_t>(p.children.size()));
    }
  }

  using CallKey = std::tuple<std::uint32_t, std::string, std::uint32_t>;
  NodeTable& table_;
  const RankWishes& wishes_;
  RankStatistics out_;
  NodeFacts facts_;
  IdleSearch idle_;
  std::map<std::int64_t, RankStatistics::Sent> sent_;
  std::map<CallKey, RankStatistics::Calls> calls_;
  std::unordered_map<std::string, std::size_t> key_numbers_;
};

RankCounter::RankCounter(Trace& trace, const RankWishes& wishes)
    : counter_(std::make_unique<Counter>(trace, wishes)) {}
RankCounter::~RankCounter() = default;
void RankCounter::add_batch() { counter_->add_nodes(); }
RankStatistics RankCounter::finish() { return counter_->finish(); }

const NodeParts& RankCounter::parts() {
  static const NodeParts parts = communication_parts();
  return parts;
}

NodeKey parse_node_key(std::string_view name) {
  if (name == "name") return NodeKey::name;
  if (name == "type") return NodeKey::type;
  if (name == "group") return NodeKey::group;
  if (name == "rank") return NodeKey::rank;
  throw usage_error("--by " + std::string(name) + ": expected name, type, group or rank");
}

void SizeClasses::add(std::int64_t size) {
  const std::size_t k =
      size == 0 ? zero : static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size))) - 1;
  ++count.at(k);
  bytes.at(k).add(size);
}

void SizeClasses::add(const SizeClasses& other, std::uint64_t times) {
  for (std::size_t k = 0; k < count.size(); ++k) {
    count[k] += other.count[k] * times;
    bytes[k].add(other.bytes[k], times);
  }
}

RankStatistics statistics_of(Trace trace, const RankWishes& wishes) {
  RankCounter counter(trace, wishes);
  counter.add_batch();
  return counter.finish();
}

}  // namespace convert
