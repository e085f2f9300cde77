// SPDX-License-Identifier: MIT
// Traces in a few words: the library's generator of test cases.
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

namespace convert {

// Builds the trace of one rank, node by node, ids ascending from the first one on. What every node-adding member
// gets in `after` are ids of nodes that it waits for (data dependencies), and what it returns is the new node's id.
class TraceBuilder {
 public:
  using Parents = std::vector<NodeId>;

  explicit TraceBuilder(Rank rank, NodeId first_id = 0);

  // Nanoseconds; what is no whole number of microseconds stands in duration_nanos as well, as simulators in the
  // field know microseconds only.
  NodeId compute(std::string_view name, std::uint64_t duration_ns, const Parents& after = {});
  NodeId mem_load(std::string_view name, std::int64_t bytes, const Parents& after = {});
  NodeId mem_store(std::string_view name, std::int64_t bytes, const Parents& after = {});
  // A send and the receive that it meets have the same size and tag.
  NodeId send(Rank to, std::int64_t bytes, std::int64_t tag = 0, const Parents& after = {});
  NodeId receive(Rank from, std::int64_t bytes, std::int64_t tag = 0, const Parents& after = {});
  // Of all ranks, or of a process group. Bytes are comm_size: what each rank gives, or gets of a scatter; 0 of a
  // barrier. `root` of broadcast and scatter, reduce and gather.
  NodeId collective(Collective type, std::int64_t bytes, const Parents& after = {},
                    std::optional<Rank> root = std::nullopt, std::string_view group = {});
  // Any node.
  NodeId add(NodeType type, std::string_view name, const Parents& after = {});

  // For the latest node.
  TraceBuilder& set(Name name, std::int64_t value, Kind kind = Kind::int64_val);
  TraceBuilder& set(Name name, std::string_view value);
  TraceBuilder& set_name(std::string_view name);

  // All of it, for what has no member of its own: `nodes` has an open node once one was added.
  [[nodiscard]] Trace& trace() { return trace_; }
  // Ends the trace; the builder is empty then.
  [[nodiscard]] Trace finish();

 private:
  void end_node();
  NodeId add_message(NodeType type, Name peer_name, Rank peer, std::int64_t bytes, std::int64_t tag,
                     const Parents& after);

  Trace trace_;
  NodeId next_id_;
  bool open_ = false;
};

}  // namespace convert
