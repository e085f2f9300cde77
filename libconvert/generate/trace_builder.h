// SPDX-License-Identifier: MIT
// Builds traces node by node, for generators and tests.
//
//   TraceBuilder rank0(0);
//   const NodeId forward = rank0.compute("forward", 50'000);
//   rank0.collective(Collective::all_reduce, 1 << 20, {forward});
//   write_traces({rank0.finish(), …}, "toy");   // sets/made_set.h
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "generate/noise.h"

namespace convert {

// Builds the trace of one rank with ascending ids. Every member that adds a node takes the ids of its data
// dependencies in `after`, and returns the new node's id.
class TraceBuilder {
 public:
  using Parents = std::vector<NodeId>;

  explicit TraceBuilder(Rank rank, NodeId first_id = 0);

  // Set the noise for the times of later computations, and the number of their layer.
  void set_noise(const Noise& noise) { noise_ = noise; }
  void begin_layer(std::uint64_t layer) { layer_ = layer; }
  // Adds a computation. The node's time is rounded to µs, for other simulators. If it is not a whole number of µs,
  // the attribute duration_nanos contains it exactly.
  NodeId compute(std::string_view name, std::uint64_t duration_ns, const Parents& after = {});
  NodeId mem_load(std::string_view name, std::int64_t bytes, const Parents& after = {}) {
    return add_memory(NodeType::mem_load, name, bytes, after);
  }
  NodeId mem_store(std::string_view name, std::int64_t bytes, const Parents& after = {}) {
    return add_memory(NodeType::mem_store, name, bytes, after);
  }
  // Adds a message; the send and its receive must have the same size and tag.
  NodeId send(Rank to, std::int64_t bytes, std::int64_t tag = 0, const Parents& after = {}) {
    return add_message(NodeType::comm_send, to, bytes, tag, after);
  }
  NodeId receive(Rank from, std::int64_t bytes, std::int64_t tag = 0, const Parents& after = {}) {
    return add_message(NodeType::comm_recv, from, bytes, tag, after);
  }
  // Adds a collective of all ranks, or of a process group. `bytes` is comm_size: the bytes that each rank
  // contributes, or receives in a scatter; 0 for a barrier. `root`: for broadcast, scatter, reduce and gather.
  NodeId collective(Collective type, std::int64_t bytes, const Parents& after = {},
                    std::optional<Rank> root = std::nullopt, std::string_view group = {});
  // Adds a node of any type.
  NodeId add(NodeType type, std::string_view name, const Parents& after = {});

  // Add an attribute to the latest node.
  TraceBuilder& set(Name name, std::int64_t value, Kind kind = Kind::int64_val);
  TraceBuilder& set(Name name, std::string_view value);

  // Returns the unfinished trace; attributes may still be added to its latest node.
  [[nodiscard]] Trace& trace() { return trace_; }
  // Finishes the trace and returns it; the builder is then empty.
  [[nodiscard]] Trace finish();

 private:
  void end_node();
  NodeId add_memory(NodeType type, std::string_view name, std::int64_t bytes, const Parents& after);
  NodeId add_message(NodeType type, Rank peer, std::int64_t bytes, std::int64_t tag, const Parents& after);

  Trace trace_;
  NodeId next_id_;
  bool open_ = false;
  Noise noise_;
  std::optional<std::uint64_t> layer_;
};

}  // namespace convert
