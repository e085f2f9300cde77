// SPDX-License-Identifier: MIT
// Page `graph` of a trace set: nodes, dependencies, messages, lanes and attributes as columns. The page computes
// the layout.
//
// The head:
//   title            title of the page
//   operand          name of the set on the command line of et-graph
//   ranks            [[rank, nodes], …]
//   lanes            [[position of the rank, label], …]
//   names            of nodes
//   time             {"base_ns"}, if a node has a begin
//   attributes,      see AttributeColumns
//   attribute_lists
//   large_ids        [[node, "id"], …]: ids above 2^53, which are -1 in the column
//
// Columns by node, rank by rank:
//   id, type         type: NodeType
//   name, lane       indices into the head
//   bytes, peer      bytes -1: unknown; peer -1: none
//   op               Collective; 255: none
//   begin, duration  ns, -1: unknown; only if a node has one
//   data_count,      number of its parents
//   control_count
//   attributes       see AttributeColumns
// Columns of edges: parent (by node, data dependencies first); message_from, message_to; missing_node and
// missing_id for dependencies on missing nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_set.h"
#include "core/trace.h"
#include "graph/graph.h"
#include "graph/messages.h"
#include "io/output.h"
#include "page/graph/attributes.h"
#include "page/page.h"

namespace convert {

class GraphPage {
 public:
  static constexpr std::size_t most_nodes = 2'000'000;

  // Adds the next rank. Throws Error(input) if there are more than most_nodes nodes, the limit of browsers.
  void add(const Trace& trace);
  [[nodiscard]] std::size_t nodes() const { return id_.size(); }

  // Writes the page and consumes the added data.
  void write(std::string_view title, std::string_view operand, Output& output) &&;

  // Data of write().
  struct Data {
    std::string head;
    std::vector<Column> columns;
  };
  [[nodiscard]] Data take(std::string_view title, std::string_view operand) &&;

 private:
  struct RankPart {
    Rank rank = 0;
    std::uint32_t first = 0;  // node
    std::uint32_t nodes = 0;
  };
  struct Lane {
    std::uint32_t rank = 0;  // position
    std::string label;
  };
  void add_node(const NodeTable& table, const Node& node);
  void add_times(const Node& node, std::int64_t start_nanos, std::int64_t duration_nanos);
  void add_edges(const Trace& trace, const Graph& graph, const std::vector<GraphDefect>& defects);
  void add_callers(const NodeTable& table);
  void match_messages();
  [[nodiscard]] std::string head(std::string_view title, std::string_view operand, std::int64_t base_ns) const;
  [[nodiscard]] std::vector<Column> take_columns(std::int64_t base_ns);

  std::vector<RankPart> ranks_;
  std::vector<Lane> lanes_;
  std::vector<RankMessages> messages_;  // by position of the rank
  TextSet names_;
  AttributeColumns attributes_;
  std::vector<std::pair<std::uint32_t, std::string>> large_ids_;
  std::vector<double> id_, bytes_;
  std::vector<std::uint8_t> type_, op_;
  std::vector<std::int32_t> name_, lane_, peer_, data_count_, control_count_, parent_, caller_;
  std::vector<std::int64_t> begin_ns_, duration_ns_;  // -1: unknown
  std::vector<std::int32_t> message_from_, message_to_, missing_node_;
  std::vector<double> missing_id_;
};

}  // namespace convert
