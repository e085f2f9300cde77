// SPDX-License-Identifier: MIT
// A set whose readers return a few nodes at a time, and irregular traces.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/held_set.h"
#include "core/trace.h"

namespace convert::test {

class BatchedSet : public HeldSet {
 public:
  BatchedSet(std::vector<Trace> traces, std::size_t nodes_at_once)
      : HeldSet(std::move(traces)), nodes_at_once_(nodes_at_once) {}

  [[nodiscard]] std::unique_ptr<TraceReader> open_rank(std::size_t i) override {
    return std::make_unique<Reader>(*this, i, i + 1);
  }
  [[nodiscard]] std::unique_ptr<TraceReader> open_all() override {
    return std::make_unique<Reader>(*this, 0, traces_.size());
  }

 private:
  class Reader : public TraceReader {
   public:
    Reader(const BatchedSet& set, std::size_t next, std::size_t last) : set_(set), next_(next), last_(last) {}
    bool next_rank(Trace& out) override {
      if (next_ == last_) return false;
      from_ = &set_.traces_[next_++];
      node_ = 0;
      out.rank = from_->rank;
      out.name = from_->name;
      out.metadata = from_->metadata;
      out.nodes.clear();
      return true;
    }
    bool next_nodes(Trace& out, std::size_t max_nodes) override {
      const NodeTable& table = from_->nodes;
      const std::size_t end = std::min(node_ + std::min(max_nodes, set_.nodes_at_once_), table.nodes.size());
      out.nodes.clear();
      out.nodes.positions_are_lines = table.positions_are_lines;
      for (; node_ < end; ++node_) {
        out.nodes.add_copy(table, table.nodes[node_]);
        if (node_ < table.positions.size()) out.nodes.positions.push_back(table.positions[node_]);
      }
      return !out.nodes.nodes.empty();
    }

   private:
    const BatchedSet& set_;
    std::size_t next_, last_;
    const Trace* from_ = nullptr;
    std::size_t node_ = 0;
  };
  std::size_t nodes_at_once_;
};

// Adds a node of any type with random attributes. Its dependencies are ids below `parents`: missing nodes, the node
// itself or later nodes are possible.
inline void add_odd_node(NodeTable& to, NodeId id, std::uint32_t parents, bool sound, std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  constexpr std::array names = {"aten::mm", "nccl:all_reduce", "caf\xc3\xa9", "bad \xff", "", "ProfilerStep#1"};
  Node& node =
      to.add_node(id, static_cast<NodeType>(below(sound ? 8 : 9)), names.at(static_cast<std::size_t>(below(6))));
  if (below(3) == 0) node.start_us = static_cast<std::uint64_t>(below(1000));
  if (below(2) == 0) node.duration_us = static_cast<std::uint64_t>(below(100));
  const std::int64_t data = parents == 0 ? 0 : below(4), control = parents == 0 ? 0 : below(3);
  for (std::int64_t k = 0; k < data; ++k) to.add_data_dep(static_cast<NodeId>(below(parents)));
  for (std::int64_t k = 0; k < control; ++k) to.add_ctrl_dep(static_cast<NodeId>(below(parents)));
  constexpr std::array numbers = {
      attr::is_cpu_op,         attr::comm_type,       attr::comm_src,      attr::comm_dst,
      attr::comm_tag,          attr::comm_size,       attr::msg_chunk_cnt, attr::num_ops,
      attr::tensor_size,       attr::duration_nanos,  attr::start_nanos,   attr::stream,
      attr::group_size,        attr::total_chunk_cnt, attr::tb_id,         attr::local_time_step,
      attr::start_delay_nanos, attr::depid,           attr::deps,          attr::hasdep};
  for (const Name name : numbers) {
    if (below(2) == 0)
      to.add_int(name, below(8) == 0 ? Kind::uint64_val : Kind::int64_val, below(6) - (below(9) == 0 && !sound));
    if (below(20) == 0 && !sound) to.add_string(name, "text");
  }
  if (below(2) == 0) to.add_string(attr::pg_name, below(2) == 0 ? "0" : "7");
  if (below(2) == 0) to.add_string(attr::dep_rules, std::string(static_cast<std::size_t>(data), 'l'));
  if (below(3) == 0)
    to.add_ints(attr::send_splits, Kind::int64_list, std::vector<std::int64_t>{below(3), below(3)});
  if (below(6) == 0) to.add_string(Name(std::string_view("odd")), below(2) == 0 ? "\xfe" : "plain");
  if (below(3) == 0) {
    to.io.push_back({to.add_text("[1]"), to.add_text("[[2]]"), to.add_text(below(9) == 0 ? "\xff" : "T"), {}});
    node.inputs = static_cast<std::uint32_t>(to.io.size());
  }
  to.end_node();
  to.positions.push_back(to.nodes.size() * 16);
}

// Returns a trace of up to 40 nodes. Unless it is `sound`, ids may neither ascend nor be unique, and there may be
// cycles.
inline Trace odd_trace(Rank rank, std::uint32_t seed, bool sound = false) {
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  Trace trace;
  trace.rank = rank;
  trace.name = "odd." + std::to_string(rank) + ".et";
  trace.metadata.version = "0.0.4";
  const std::uint32_t nodes = random() % 41;
  const bool in_order = random() % 2 == 0;
  for (std::uint32_t i = 0; i < nodes; ++i)
    add_odd_node(trace.nodes, in_order || sound ? i : random() % 40, sound ? i : 40, sound, engine);
  return trace;
}

}  // namespace convert::test
