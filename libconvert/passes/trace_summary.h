// SPDX-License-Identifier: MIT
// Summary of a trace for the rules across ranks, without its attributes and most of its text: about 48 bytes per
// node with one dependency.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "graph/collectives.h"
#include "graph/graph.h"
#include "graph/kept_nodes.h"
#include "graph/messages.h"

namespace convert {

// Names of nodes for messages, truncated to 48 bytes. Number 0: no name, an unreadable one, or one beyond 65535
// names or 64 KiB.
class NodeNames {
 public:
  [[nodiscard]] std::string_view at(std::uint64_t number) const {
    return number == 0 ? std::string_view()
                       : std::string_view(text_).substr(begin_[number - 1], begin_[number] - begin_[number - 1]);
  }

 private:
  friend class NodeNamesBuilder;
  friend class SummaryBytes;
  std::string text_;
  std::vector<std::uint32_t> begin_;
};

// Routes of the sends of a rank in a schedule, with sequence numbers on links (attributes link_seq, link_via).
struct SummaryWays {
  struct Send {
    std::uint32_t node = 0;
    std::uint32_t first_hop = 0;  // into `hops`, up to the first hop of the next send
    std::int64_t scope = 0;       // of its sequence numbers, see turn_scope()
  };
  struct Hop {
    std::int64_t turn = 0;
    std::uint32_t to = 0;  // the device at the end of the link
    std::uint32_t unused = 0;
  };
  // A control dependency between sends that only repeats the link order given by sequence numbers.
  struct Kept {
    std::uint32_t child = 0;
    std::uint32_t parent = 0;
    friend auto operator<=>(const Kept&, const Kept&) = default;
  };
  std::vector<Send> sends;  // ascending by node
  std::vector<Hop> hops;
  std::vector<Kept> kept;  // ascending
};

struct TraceSummary {
  Rank rank = 0;
  std::string name;              // for messages: "ring.3.et"
  bool positions_known = false;  // Message::position is valid
  bool positions_are_lines = false;
  bool recorded = false;     // some node has a start time or dep_rules
  bool tells_order = false;  // some node has dep_rules
  std::uint32_t size = 0;    // number of nodes
  std::vector<NodeId> ids;   // by index; empty if each id is its index
  RankMessages messages;
  RankCollectives collectives;
  SummaryWays ways;
  NodeNames names;  // of the messages and collectives
  // size + 1 entries: dependencies except the ones on a cycle inside the rank
  std::vector<std::uint32_t> child_begin;
  std::vector<std::uint32_t> children;

  [[nodiscard]] NodeId id(std::uint32_t index) const { return ids.empty() ? index : ids[index]; }
  [[nodiscard]] std::span<const std::uint32_t> children_of(std::uint32_t index) const {
    return std::span(children).subspan(child_begin[index], child_begin[index + 1] - child_begin[index]);
  }
  [[nodiscard]] Location location(const Message& message) const { return location(message.node, message.position); }
  [[nodiscard]] Location location(const CollectiveNode& call) const { return location(call.node, call.position); }
  // Returns "node 7" or "node 7 'ncclDevKernel_AllReduce'".
  [[nodiscard]] std::string named(const Message& message) const { return named(message.node, message.name); }
  [[nodiscard]] std::string named(const CollectiveNode& call) const { return named(call.node, call.name); }

 private:
  [[nodiscard]] Location location(std::uint32_t node, std::uint64_t position) const;
  [[nodiscard]] std::string named(std::uint32_t node, std::uint64_t name_number) const;
};

// Returns the parts of nodes that summarise() reads.
[[nodiscard]] NodeParts summary_parts();

// Returns the summary of a trace. Omits dependencies on a cycle inside the rank, which check_trace() reports.
[[nodiscard]] TraceSummary summarise(const Trace& trace);
// As above, for callers that already have the trace's graph.
[[nodiscard]] TraceSummary summarise(const Trace& trace, const Graph& graph);

}  // namespace convert
