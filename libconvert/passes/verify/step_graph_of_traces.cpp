// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "graph/algorithms.h"
#include "graph/graph.h"
#include "passes/provenance.h"
#include "passes/verify/postcondition.h"
#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert {
namespace {

// Nodes of a step in one rank: RECV, COMP, SEND, depending on its type.
struct Group {
  Step step;
  std::uint32_t entry = no_index;
  std::uint32_t exit = no_index;
  std::uint32_t recv = no_index;
  std::uint32_t send = no_index;
  std::uint32_t chain = no_index;  // within the rank
  std::uint32_t position = 0;      // in the chain
};

// Returns the node types of a step in order; NodeType::invalid ends them.
std::array<NodeType, 4> node_types(StepType t) {
  std::array<NodeType, 4> out{};
  std::size_t n = 0;
  if (receives(t)) out[n++] = NodeType::comm_recv;
  if (computes(t)) out[n++] = NodeType::comp;
  if (sends(t)) out[n++] = NodeType::comm_send;
  return out;
}

class RankBuilder {
 public:
  RankBuilder(const Trace& trace, std::int32_t ranks, StepGraph& p, ConnectionTable& connections,
              std::vector<std::vector<std::uint32_t>>& sends, std::vector<std::vector<std::uint32_t>>& recvs)
      : trace_(trace), ranks_(ranks), p_(p), connections_(connections), sends_(sends), recvs_(recvs) {}

  void build(std::vector<StepGraphBuilder::StepNodes>& nodes) {
    const std::vector<std::uint32_t> order = topological_order(graph_);
    if (order.size() != trace_.nodes.nodes.size()) {
      throw input_error({.file = trace_.name}, "dependency cycle, so nothing can be proved (see rule cycles)",
                        "cycles");
    }
    group_of_.assign(order.size(), no_index);
    for (const std::uint32_t i : order) place(i);
    for (const Group& g : groups_) {
      if (g.step.type != StepType::nop && !complete(g))
        fail(g.exit, "its step of type " + std::string(name(g.step.type)) + " lacks its next node");
    }
    make_chains();
    emit(nodes);
  }

 private:
  [[noreturn]] void fail(std::uint32_t node, const std::string& message) const {
    throw input_error(location_of(trace_, node),
                      "node " + std::to_string(trace_.nodes.nodes[node].id) + ": " + message, "provenance");
  }

  [[nodiscard]] bool complete(const Group& g) const {
    const NodeType last = trace_.nodes.nodes[g.exit].type;
    if (sends(g.step.type)) return last == NodeType::comm_send;
    return !computes(g.step.type) || last == NodeType::comp;
  }

  // Adds a node to the step of its only parent if it continues that step, else starts a step.
  void place(std::uint32_t i) {
    const Node& node = trace_.nodes.nodes[i];
    const auto attrs = trace_.nodes.attributes(node);
    if (find(attrs, attr::step_type) == nullptr) {
      if (node.type == NodeType::comm_send || node.type == NodeType::comm_recv)
        fail(i, "a message without chunk provenance (no step_type)");
      return start(i, {});  // belongs to no step, but orders its dependents
    }
    const Step step = parse_step(trace_, i);
    if (step.cnt < 0 || step.cnt > max_step_chunks)
      fail(i, "chunk_cnt " + std::to_string(step.cnt) + " is outside of 0…" + std::to_string(max_step_chunks));
    const auto types = node_types(step.type);
    const auto at = static_cast<std::size_t>(std::find(types.begin(), types.end(), node.type) - types.begin());
    if (at >= types.size() || node.type == NodeType::invalid)
      fail(i, "its node type does not fit a step of type " + std::string(name(step.type)));
    if (at == 0) {
      start(i, step);
      if (node.type == NodeType::comm_recv) groups_.back().recv = i;
      if (node.type == NodeType::comm_send) groups_.back().send = i;
      return;
    }
    const auto parents = graph_.parents(i);
    const std::uint32_t parent = parents.size() == 1 ? parents[0].node : no_index;
    const std::uint32_t number = parent == no_index ? no_index : group_of_[parent];
    if (number == no_index)
      fail(i, "continues a step of type " + std::string(name(step.type)) +
                  ", but its only dependency must be the previous node of the step");
    Group& g = groups_[number];
    if (g.exit != parent || data_of(g.step) != data_of(step) || trace_.nodes.nodes[parent].type != types[at - 1])
      fail(i, "continues a step of type " + std::string(name(step.type)) +
                  ", but its parent is not the previous node of the step");
    g.exit = i;
    if (node.type == NodeType::comm_send) g.send = i;
    group_of_[i] = number;
  }

  void start(std::uint32_t i, const Step& step) {
    group_of_[i] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({.step = step, .entry = i, .exit = i});
  }

  // Greedy path cover: a step extends the chain of the first parent that still is the end of a chain.
  void make_chains() {
    for (std::uint32_t n = 0; n < groups_.size(); ++n) {
      Group& g = groups_[n];
      for (const Edge& e : graph_.parents(g.entry)) {
        const Group& parent = groups_[group_of_[e.node]];
        if (parent.exit != e.node)
          fail(g.entry, "depends on an inner node of a step of type " + std::string(name(parent.step.type)) +
                            "; it must depend on that step's last node");
        parents_.items.push_back(group_of_[e.node]);
        const bool at_end = chains_[parent.chain].back() == group_of_[e.node];
        if (g.chain == no_index && at_end) g.chain = parent.chain;
      }
      if (g.chain == no_index) {
        g.chain = static_cast<std::uint32_t>(chains_.size());
        chains_.emplace_back();
      }
      g.position = static_cast<std::uint32_t>(chains_[g.chain].size());
      chains_[g.chain].push_back(n);
      parents_.end_row();
    }
  }

  void emit(std::vector<StepGraphBuilder::StepNodes>& nodes) {
    const auto rank = static_cast<std::int32_t>(trace_.rank);
    const auto first_chain = static_cast<std::uint32_t>(p_.chains.size());
    std::vector<std::uint32_t> step_of(groups_.size());
    std::uint32_t next = static_cast<std::uint32_t>(p_.steps.size());
    for (const auto& chain : chains_) {
      p_.chains.push_back({next, static_cast<std::uint32_t>(chain.size()), rank});
      for (const std::uint32_t n : chain) step_of[n] = next++;
    }
    for (const auto& chain : chains_) {
      for (const std::uint32_t n : chain) {
        const Group& g = groups_[n];
        GraphStep s;
        data_of(s) = data_of(g.step);
        s.dep_begin = static_cast<std::uint32_t>(p_.deps.size());
        s.source = g.entry;
        for (const std::uint32_t parent : parents_[n]) {
          const std::uint32_t chain_of_parent = groups_[parent].chain;
          if (chain_of_parent != g.chain) p_.deps.push_back({step_of[parent], first_chain + chain_of_parent});
        }
        if (g.recv != no_index) s.in = connect(g.recv, NodeType::comm_recv);
        if (g.send != no_index) s.out = connect(g.send, NodeType::comm_send);
        nodes.push_back({.first = g.entry, .recv = g.recv, .send = g.send, .last = g.exit});
        p_.steps.push_back(s);
      }
    }
    // Messages are in topological order, in which a simulator that issues by id sends them.
    for (std::uint32_t n = 0; n < groups_.size(); ++n) {
      const GraphStep& s = p_.steps[step_of[n]];
      sends_.resize(p_.connections.size());
      recvs_.resize(p_.connections.size());
      if (s.out != no_index) sends_[s.out].push_back(step_of[n]);
      if (s.in != no_index) recvs_[s.in].push_back(step_of[n]);
    }
  }

  std::uint32_t connect(std::uint32_t node, NodeType type) {
    const auto attrs = trace_.nodes.attributes(trace_.nodes.nodes[node]);
    const auto rank = static_cast<std::int32_t>(trace_.rank);
    const IntValue peer = int_value(attrs, type == NodeType::comm_send ? attr::comm_dst : attr::comm_src);
    const IntValue tag = int_value(attrs, attr::comm_tag);
    if (!peer || !tag || peer.value < 0 || peer.value >= ranks_ || peer.value == rank)
      fail(node, "its peer or tag is missing or out of range (see rules attributes and peers)");
    const auto other = static_cast<std::int32_t>(peer.value);
    return type == NodeType::comm_send ? connections_.get(rank, other, tag.value)
                                       : connections_.get(other, rank, tag.value);
  }

  static constexpr std::int32_t max_step_chunks = 1024;

  const Trace& trace_;
  std::int32_t ranks_;
  StepGraph& p_;
  ConnectionTable& connections_;
  std::vector<std::vector<std::uint32_t>>& sends_;
  std::vector<std::vector<std::uint32_t>>& recvs_;
  Graph graph_ = build_graph(trace_.nodes);
  std::vector<Group> groups_;            // in topological order of their entries
  std::vector<std::uint32_t> group_of_;  // by node
  std::vector<std::vector<std::uint32_t>> chains_;
  Rows parents_;  // by group: groups
};

void take_header(const Trace& t, std::int32_t ranks, StepGraph& p) {
  Algorithm header;
  Gpu gpu;
  if (!read_header(t, header, gpu)) {
    throw input_error({.file = t.name},
                      "the trace carries no chunk provenance (metadata msccl.*), so its result cannot be proved",
                      "provenance");
  }
  check_relays(t, header, static_cast<std::size_t>(ranks));
  if (header.relays.empty() && header.among_others != header.collective && has_postcondition(header.collective) &&
      has_postcondition(header.among_others))
    throw input_error({.file = t.name},
                      "the metadata's collective is " + std::string(name(header.among_others)) +
                          ", but its msccl.coll is " + std::string(name(header.collective)),
                      "provenance");
  p.buffers.push_back({gpu.i_chunks, gpu.o_chunks, gpu.s_chunks, {}});
  if (header.scheduled) p.buffers.back().copies = std::move(gpu.copies);  // in other graphs, copies are nodes
  if (t.rank != 0 && header_of(header) != p)
    throw input_error({.file = t.name}, "the algorithm in the metadata (msccl.*) differs from rank 0",
                      "provenance");
  if (t.rank != 0) return;
  static_cast<StepHeader&>(p) = header_of(header);
  p.file = t.name;
}

// Requires an order between any two messages of a connection; without it, their pairing is undefined.
class MessageOrder {
 public:
  MessageOrder(const StepGraph& p, Diagnostics& diagnostics) : p_(p), diagnostics_(diagnostics) {
    for (const Connection& c : p.connections) {
      ask(p.send_steps, c.send_begin, c.sends);
      ask(p.recv_steps, c.recv_begin, c.recvs);
    }
  }

  void check() {
    if (pairs_.empty()) return;
    std::vector<StepPair> edges;
    add_local_edges(p_, edges);
    add_message_edges(p_, edges);
    const Reachability graph(edges, running_order(p_), std::vector<std::uint32_t>(p_.step_count()));
    std::vector<Answer> answers(pairs_.size(), Answer::open);
    std::uint64_t budget = order_budget;
    graph.decide(pairs_, answers, budget);
    std::size_t reported = 0;  // 1 + the end of a connection of the last finding
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (answers[i] == Answer::ordered || end_of_[i] + 1 == reported) continue;
      reported = end_of_[i] + 1;
      const auto [a, b] = pairs_[i];
      const bool sending = end_of_[i] % 2 == 0;
      diagnostics_.error(p_.locate(b), "pairs",
                         p_.describe(a) + " and " + p_.describe(b) +
                             (sending ? " send to the same rank" : " receive from the same rank") +
                             " with the same tag in no " +
                             (answers[i] == Answer::open ? "order found by the search" : "defined order") +
                             "; give them different tags");
    }
  }

 private:
  // Lists pairs that their chain does not order. Called for the sends, then the receives of each connection.
  void ask(const std::vector<std::uint32_t>& steps, std::uint32_t begin, std::uint32_t count) {
    for (std::uint32_t k = begin; k + 1 < begin + count; ++k) {
      if (steps[k] < steps[k + 1] && chain_of(p_, steps[k]) == chain_of(p_, steps[k + 1])) continue;
      pairs_.push_back({steps[k], steps[k + 1]});
      end_of_.push_back(ends_);
    }
    ++ends_;
  }

  const StepGraph& p_;
  Diagnostics& diagnostics_;
  std::vector<StepPair> pairs_;
  std::vector<std::size_t> end_of_;  // by pair: 2 × connection, and 1 more for receives
  std::size_t ends_ = 0;
};

void flatten(std::vector<std::vector<std::uint32_t>>& lists, std::vector<std::uint32_t>& out,
             std::vector<Connection>& connections, bool send) {
  lists.resize(connections.size());
  for (std::size_t c = 0; c < lists.size(); ++c) {
    (send ? connections[c].send_begin : connections[c].recv_begin) = static_cast<std::uint32_t>(out.size());
    (send ? connections[c].sends : connections[c].recvs) = static_cast<std::uint32_t>(lists[c].size());
    out.insert(out.end(), lists[c].begin(), lists[c].end());
  }
}

}  // namespace

void StepGraphBuilder::add(const Trace& trace) {
  take_header(trace, ranks_, graph_);
  first_step_.push_back(static_cast<std::uint32_t>(graph_.steps.size()));
  graph_.rank_chain_begin.push_back(static_cast<std::uint32_t>(graph_.chains.size()));
  RankBuilder(trace, ranks_, graph_, connections_, sends_, recvs_).build(nodes_);
}

std::size_t StepGraphBuilder::rank_of(std::uint32_t step) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_step_, step) - first_step_.begin()) - 1;
}

StepGraph StepGraphBuilder::finish(StepNames names, Diagnostics& diagnostics) {
  StepGraph& p = graph_;
  p.rank_chain_begin.push_back(static_cast<std::uint32_t>(p.chains.size()));
  p.steps.push_back({.dep_begin = static_cast<std::uint32_t>(p.deps.size())});
  for (const Dependency& d : p.deps) p.steps[d.step].awaited = true;
  flatten(sends_, p.send_steps, p.connections, true);
  flatten(recvs_, p.recv_steps, p.connections, false);
  static_cast<StepNames&>(p) = std::move(names);
  MessageOrder(p, diagnostics).check();
  return std::move(p);
}

StepGraph make_step_graph(std::span<const Trace> traces, Diagnostics& diagnostics) {
  const auto made = std::make_shared<StepGraphBuilder>(static_cast<std::int32_t>(traces.size()));
  for (const Trace& t : traces) {
    if (t.rank == 0) require_all_ranks(traces);
    made->add(t);
  }
  StepNames names;
  names.locate = [traces, made](std::uint32_t s) {
    return location_of(traces[made->rank_of(s)], made->nodes()[s].first);
  };
  names.locate_rank = [traces](std::int32_t rank) {
    return Location{.file = traces[static_cast<std::size_t>(rank)].name, .rank = rank};
  };
  names.describe = [traces, made](std::uint32_t s) {
    const Trace& t = traces[made->rank_of(s)];
    const Node& node = t.nodes.nodes[made->nodes()[s].first];
    const auto type = string_value(t.nodes, t.nodes.attributes(node), attr::step_type);
    return "rank " + std::to_string(t.rank) + " node " + std::to_string(node.id) + " (" +
           std::string(type.value_or("no step")) + ")";
  };
  return made->finish(std::move(names), diagnostics);
}

}  // namespace convert
