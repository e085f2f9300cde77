// SPDX-License-Identifier: MIT
#include "simulate/program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/attr_names.h"
#include "graph/graph.h"

namespace convert {
namespace {

constexpr std::int64_t tag_modulus = 500'000'000;  // ASTRA-sim compares tags modulo this
constexpr std::uint64_t max_duration_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;

// (tag, source, destination, bytes) → dense number. Keys are not stored twice: a channel names one of its ops.
class ChannelIndex {
 public:
  std::uint32_t find_or_add(const std::vector<Op>& ops, std::vector<Channel>& channels, const Op& op,
                            std::int32_t tag, std::uint32_t op_index) {
    if ((channels.size() + 1) * 3 > table_.size() * 2) grow(ops, channels);
    for (std::size_t i = hash(op, tag) & mask();; i = (i + 1) & mask()) {
      if (table_[i] == 0) {
        channels.push_back({op_index, tag});
        table_[i] = static_cast<std::uint32_t>(channels.size());
        return table_[i] - 1;
      }
      const Channel& c = channels[table_[i] - 1];
      if (c.tag == tag && same(ops[c.op], op)) return table_[i] - 1;
    }
  }

 private:
  static Rank source(const Op& op) { return op.type == OpType::send ? op.rank : op.peer; }
  static Rank destination(const Op& op) { return op.type == OpType::send ? op.peer : op.rank; }
  static bool same(const Op& a, const Op& b) {
    return a.value == b.value && source(a) == source(b) && destination(a) == destination(b);
  }
  static std::uint64_t hash(const Op& op, std::int32_t tag) {
    std::uint64_t h = static_cast<std::uint64_t>(op.value) * 0x9e3779b97f4a7c15U;
    h ^= (static_cast<std::uint64_t>(source(op)) << 32 | destination(op)) + (h >> 29);
    h *= 0xbf58476d1ce4e5b9U;
    h ^= static_cast<std::uint32_t>(tag) + (h >> 32);
    h *= 0x94d049bb133111ebU;
    return h ^ h >> 31;
  }
  [[nodiscard]] std::size_t mask() const { return table_.size() - 1; }
  void grow(const std::vector<Op>& ops, const std::vector<Channel>& channels) {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), 0);
    for (std::uint32_t c = 0; c < channels.size(); ++c) {
      std::size_t i = hash(ops[channels[c].op], channels[c].tag) & mask();
      while (table_[i] != 0) i = (i + 1) & mask();
      table_[i] = c + 1;
    }
  }

  std::vector<std::uint32_t> table_;  // 1 + channel; 0: unused
};

}  // namespace

std::string_view name(IssueMode mode) { return mode == IssueMode::algorithm ? "algorithm" : "workload"; }

IssueMode default_issue_mode(const Trace& trace) {
  if (find(trace.metadata.table.attrs, attr::collective) != nullptr) return IssueMode::algorithm;
  for (const Node& n : trace.nodes.nodes) {
    if (find(trace.nodes.attributes(n), attr::tb_id) != nullptr) return IssueMode::algorithm;
  }
  return IssueMode::workload;
}

std::string_view RankProgram::node_name(std::uint32_t node) const {
  if (name_ends.empty()) return {};
  const std::uint32_t begin = node == 0 ? 0 : name_ends[node - 1];
  return std::string_view(names).substr(begin, name_ends[node] - begin);
}

struct ReplayBuilder::State {
  State(NetworkConfig network, const ReplayOptions& options, Diagnostics& d) : diagnostics(d) {
    program.network = std::move(network);
    program.options = options;
    self_allowed = can_send_to_self(program.network, options.model);
  }

  void add(const Trace& trace);
  void check_graph(const Trace& trace, const std::vector<GraphDefect>& defects);
  void compile_node(const Trace& trace, std::uint32_t index, Op& op, std::int64_t& tag);
  void compile_duration(const Trace& trace, std::uint32_t index, Op& op);
  void compile_message(const Trace& trace, std::uint32_t index, Op& op, std::int64_t& tag);
  void compile_peer(const Trace& trace, std::uint32_t index, Op& op);
  [[nodiscard]] std::int64_t message_bytes(const Trace& trace, std::uint32_t index);
  [[nodiscard]] IntValue integer(const Trace& trace, std::uint32_t index, Name name, bool required);
  void keep_names(const Trace& trace, RankProgram& rank) const;

  void error(const Trace& trace, std::uint32_t index, const std::string& rule, const std::string& message) {
    failed = true;
    diagnostics.error(location_of(trace, index), rule,
                      "node " + std::to_string(trace.nodes.nodes[index].id) + ": " + message);
  }

  Diagnostics& diagnostics;
  ReplayProgram program;
  bool size_used = false;
  std::string first_name;  // of rank 0, for messages
  ChannelIndex channel_index;
  bool self_allowed = false;
  bool failed = false;
  // The highest peer of each rank: whether it exists is known at the end.
  struct HighestPeer {
    std::int64_t peer = -1;
    Location where;
    NodeId node = 0;
  };
  std::vector<HighestPeer> highest_peers;
};

IntValue ReplayBuilder::State::integer(const Trace& trace, std::uint32_t index, Name name, bool required) {
  const Attr* a = find(trace.nodes.attributes(trace.nodes.nodes[index]), name);
  const IntValue v = int_value(a);
  const std::string label(name.view());
  switch (v.status) {
    case IntValue::Status::ok: break;
    case IntValue::Status::absent:
      if (required) error(trace, index, "attributes", "attribute " + label + " is missing");
      break;
    case IntValue::Status::wrong_kind:
      error(trace, index, "attributes",
            "attribute " + label + " is of kind " + std::string(kind_name(a->kind)) + ", not an integer");
      break;
    case IntValue::Status::too_large:
      error(trace, index, "attributes", "attribute " + label + " is above 2^63-1");
      break;
  }
  return v;
}

void ReplayBuilder::State::compile_duration(const Trace& trace, std::uint32_t index, Op& op) {
  const Node& node = trace.nodes.nodes[index];
  const IntValue exact = integer(trace, index, attr::duration_nanos, false);
  if (exact.status != IntValue::Status::ok && exact.status != IntValue::Status::absent) return;
  if (exact && exact.value < 0) return error(trace, index, "times", "duration_nanos is negative");
  if (!exact && node.duration_us > max_duration_ns / 1000)
    return error(trace, index, "times", "the duration exceeds 106 days");
  const std::uint64_t ns = exact ? static_cast<std::uint64_t>(exact.value) : node.duration_us * 1000;
  if (ns > max_duration_ns) return error(trace, index, "times", "the duration exceeds 106 days");
  op.value = static_cast<Picoseconds>(std::max<std::uint64_t>(ns, 1)) * ps_per_ns;
}

std::int64_t ReplayBuilder::State::message_bytes(const Trace& trace, std::uint32_t index) {
  const IntValue stated = integer(trace, index, attr::comm_size, false);
  if (stated) {
    if (stated.value > 0) return stated.value;
    error(trace, index, "attributes", stated.value == 0 ? "a message of zero bytes" : "comm_size is negative");
    return 0;
  }
  if (stated.status != IntValue::Status::absent) return 0;
  const auto attributes = trace.nodes.attributes(trace.nodes.nodes[index]);
  if (find(attributes, attr::msg_chunk_cnt) == nullptr || find(attributes, attr::total_chunk_cnt) == nullptr) {
    error(trace, index, "attributes", "attribute comm_size is missing");
    return 0;
  }
  if (!program.options.size_bytes) {
    throw Error(Error::Kind::usage, location_of(trace, index),
                "node " + std::to_string(trace.nodes.nodes[index].id) +
                    " says its chunks but no comm_size; give the size of the collective with --size BYTES");
  }
  const IntValue count = integer(trace, index, attr::msg_chunk_cnt, true);
  const IntValue total = integer(trace, index, attr::total_chunk_cnt, true);
  if (!count || !total) return 0;
  if (count.value < 1 || total.value < 1) {
    error(trace, index, "attributes",
          "msg_chunk_cnt " + std::to_string(count.value) + " and total_chunk_cnt " + std::to_string(total.value) +
              " must be positive");
    return 0;
  }
  // A message through scratch may have more chunks than the collective.
  __extension__ using Wide = __int128;
  const Wide bytes = static_cast<Wide>(*program.options.size_bytes) * count.value / total.value;
  if (bytes < 1) {
    throw usage_error("--size " + std::to_string(*program.options.size_bytes) +
                      " is less than one byte for each of the " + std::to_string(total.value) + " chunks");
  }
  if (bytes > INT64_MAX) {
    error(trace, index, "attributes", "a message of 2^63 bytes or more");
    return 0;
  }
  size_used = true;
  return static_cast<std::int64_t>(bytes);
}

void ReplayBuilder::State::compile_peer(const Trace& trace, std::uint32_t index, Op& op) {
  const bool is_send = op.type == OpType::send;
  const IntValue own = integer(trace, index, is_send ? attr::comm_src : attr::comm_dst, false);
  const IntValue peer = integer(trace, index, is_send ? attr::comm_dst : attr::comm_src, true);
  if (own && own.value != static_cast<std::int64_t>(op.rank)) {
    error(trace, index, "peers",
          std::string(is_send ? "sends from rank " : "receives at rank ") + std::to_string(own.value) +
              ", but stands in the trace of rank " + std::to_string(op.rank));
  }
  if (!peer) return;
  if (peer.value < 0 || peer.value >= max_npus) {
    return error(trace, index, "peers",
                 std::string(is_send ? "sends to rank " : "receives from rank ") + std::to_string(peer.value) +
                     ", which does not exist");
  }
  op.peer = static_cast<Rank>(peer.value);
  if (op.peer == op.rank && !self_allowed) {
    error(trace, index, "peers",
          is_send ? "a send to itself, for which this network has no way"
                  : "a receive from itself, for which this network has no way");
  }
  HighestPeer& highest = highest_peers.back();
  if (peer.value > highest.peer) highest = {peer.value, location_of(trace, index), trace.nodes.nodes[index].id};
}

void ReplayBuilder::State::compile_message(const Trace& trace, std::uint32_t index, Op& op, std::int64_t& tag) {
  compile_peer(trace, index, op);
  const IntValue comm_tag = integer(trace, index, attr::comm_tag, true);
  if (comm_tag) tag = comm_tag.value % tag_modulus;
  op.value = message_bytes(trace, index);
}

void ReplayBuilder::State::compile_node(const Trace& trace, std::uint32_t index, Op& op, std::int64_t& tag) {
  const Node& node = trace.nodes.nodes[index];
  const IntValue cpu = integer(trace, index, attr::is_cpu_op, false);
  const bool on_cpu = cpu && cpu.value != 0;
  switch (node.type) {
    case NodeType::invalid: op.type = OpType::invalid; break;
    case NodeType::comp:
      op.type = OpType::compute;
      op.slot = Slot::compute;
      compile_duration(trace, index, op);
      break;
    case NodeType::mem_load:
    case NodeType::mem_store:
      op.type = OpType::memory;
      if (node.duration_us == 0 && find(trace.nodes.attributes(node), attr::duration_nanos) == nullptr) {
        return error(trace, index, "replay", "a memory access without a recorded duration cannot be replayed");
      }
      compile_duration(trace, index, op);
      break;
    case NodeType::comm_send:
    case NodeType::comm_recv:
      op.type = node.type == NodeType::comm_send ? OpType::send : OpType::recv;
      op.slot = op.type == OpType::send ? Slot::communication : Slot::recv;
      compile_message(trace, index, op, tag);
      if (on_cpu && program.options.issue == IssueMode::workload) {
        error(trace, index, "replay", "communication with is_cpu_op set cannot be replayed");
      }
      break;
    case NodeType::comm_coll:
      return error(trace, index, "replay",
                   "a collective cannot be replayed as it is; replace it by sends and receives first");
    case NodeType::metadata: return error(trace, index, "replay", "a METADATA_NODE cannot be replayed");
    default:
      return error(trace, index, "replay",
                   "node type " + std::to_string(static_cast<std::int32_t>(node.type)) + " is unknown");
  }
  if (on_cpu && op.type != OpType::send && op.type != OpType::recv) op.slot = Slot::cpu;
}

void ReplayBuilder::State::check_graph(const Trace& trace, const std::vector<GraphDefect>& defects) {
  for (const GraphDefect& d : defects) {
    switch (d.what) {
      case GraphDefect::What::duplicate_id: error(trace, d.index, "ids", "an earlier node has the same id"); break;
      case GraphDefect::What::dangling:
        error(trace, d.index, "deps", "depends on node " + std::to_string(d.id) + ", which does not exist");
        break;
      case GraphDefect::What::self: error(trace, d.index, "deps", "depends on itself"); break;
      case GraphDefect::What::duplicate_edge: break;  // harmless
    }
  }
}

void ReplayBuilder::State::keep_names(const Trace& trace, RankProgram& rank) const {
  for (std::uint32_t node = 0; node < rank.feeder.size(); ++node) {
    rank.names += trace.nodes.name(trace.nodes.nodes[rank.feeder.index_of(node)]);
    rank.name_ends.push_back(static_cast<std::uint32_t>(rank.names.size()));
  }
  if (rank.names.size() > UINT32_MAX) throw input_error({.file = trace.name}, "more than 4 GiB of node names");
}

void ReplayBuilder::State::add(const Trace& trace) {
  const NodeTable& table = trace.nodes;
  const auto rank_number = static_cast<Rank>(program.ranks.size());
  if (trace.rank != rank_number) {
    throw input_error({.file = trace.name}, "rank " + std::to_string(trace.rank) + " where rank " +
                                                std::to_string(rank_number) +
                                                " is expected: a replay takes all ranks from 0 on");
  }
  if (program.ops.size() + table.nodes.size() >= no_message) {
    throw input_error({.file = trace.name}, "more than 4294967294 nodes in all ranks");
  }
  std::vector<GraphDefect> defects;
  const Graph graph = build_graph(table, &defects);
  check_graph(trace, defects);

  highest_peers.emplace_back();
  std::vector<Op> by_index(table.nodes.size());
  std::vector<std::int64_t> tags(table.nodes.size());
  for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
    by_index[i].rank = rank_number;
    compile_node(trace, i, by_index[i], tags[i]);
  }
  std::vector<std::uint8_t> lanes;
  if (program.options.issue == IssueMode::workload) {
    lanes.reserve(by_index.size());
    for (const Op& op : by_index) lanes.push_back(static_cast<std::uint8_t>(op.slot));
  }
  RankProgram& rank = program.ranks.emplace_back();
  if (rank_number == 0) first_name = trace.name;
  rank.first_op = static_cast<std::uint32_t>(program.ops.size());
  rank.feeder = Feeder(table, graph, lanes);
  bool plain_ids = true;
  for (std::uint32_t node = 0; node < rank.feeder.size(); ++node) {
    const std::uint32_t index = rank.feeder.index_of(node);
    const auto op_index = static_cast<std::uint32_t>(program.ops.size());
    Op& op = program.ops.emplace_back(by_index[index]);
    if (op.type == OpType::send || op.type == OpType::recv) {
      op.channel = channel_index.find_or_add(program.ops, program.channels, op,
                                             static_cast<std::int32_t>(tags[index]), op_index);
    }
    plain_ids = plain_ids && table.nodes[index].id == node;
  }
  if (!plain_ids) {
    rank.ids.reserve(rank.feeder.size());
    for (std::uint32_t node = 0; node < rank.feeder.size(); ++node)
      rank.ids.push_back(table.nodes[rank.feeder.index_of(node)].id);
  }
  if (program.options.timeline) keep_names(trace, rank);
}

ReplayBuilder::ReplayBuilder(NetworkConfig network, const ReplayOptions& options, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(std::move(network), options, diagnostics)) {
  if (options.size_bytes && *options.size_bytes < 1) throw usage_error("--size wants at least one byte");
}
ReplayBuilder::~ReplayBuilder() = default;

void ReplayBuilder::add(const Trace& trace) { state_->add(trace); }

std::optional<ReplayProgram> ReplayBuilder::finish() {
  State& s = *state_;
  const std::size_t ranks = s.program.ranks.size();
  if (ranks == 0) throw Error("there is no trace to replay");
  for (std::size_t r = 0; r < ranks; ++r) {
    const State::HighestPeer& highest = s.highest_peers[r];
    if (highest.peer < static_cast<std::int64_t>(ranks)) continue;
    s.failed = true;
    s.diagnostics.error(highest.where, "peers",
                        "node " + std::to_string(highest.node) + ": its peer is rank " +
                            std::to_string(highest.peer) + ", but there are " + std::to_string(ranks) + " ranks");
  }
  const NetworkConfig& network = s.program.network;
  if (!network.ideal && network.npus() != static_cast<std::int64_t>(ranks)) {
    s.failed = true;
    s.diagnostics.error({.file = network.source}, "network",
                        "the network has " + std::to_string(network.npus()) + " NPUs, but there are traces of " +
                            std::to_string(ranks) + " ranks");
  }
  if (s.failed) return std::nullopt;
  if (s.program.options.size_bytes && !s.size_used) {
    s.diagnostics.warning({.file = s.first_name}, "sizes",
                          "--size is not used: the messages have sizes of their own");
  }
  s.program.ops.shrink_to_fit();
  s.program.channels.shrink_to_fit();
  return std::move(s.program);
}

}  // namespace convert
