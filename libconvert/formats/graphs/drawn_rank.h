// SPDX-License-Identifier: MIT
// Packed data of a rank that the graph formats draw: about 30 bytes per node instead of hundreds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/found_attrs.h"
#include "core/text_set.h"
#include "core/trace.h"
#include "formats/chakra/protobuf.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {
class TraceReader;
}

namespace convert::drawing {

// Attributes that are drawn: numbers, then one text.
inline constexpr std::array drawn_names = {
    attr::is_cpu_op, attr::comm_type,   attr::comm_src,      attr::comm_dst,       attr::comm_tag, attr::comm_size,
    attr::num_ops,   attr::tensor_size, attr::msg_chunk_cnt, attr::duration_nanos, attr::pg_name};
inline constexpr std::size_t drawn_numbers = drawn_names.size() - 1;

// A node of a drawing; the rank owns its texts.
struct DrawnNode {
  std::uint32_t index = 0;
  NodeId id = 0;
  NodeType type = NodeType::invalid;
  std::string_view name{};
  std::uint64_t start_us = 0;
  std::uint64_t duration_us = 0;
  std::uint32_t has = 0;  // bit i: the node has attribute drawn_names[i]
  std::array<std::int64_t, drawn_numbers> numbers{};
  std::optional<std::string_view> group{};  // pg_name
  // Returns the value of an attribute if it is an integer below 2^63.
  [[nodiscard]] std::optional<std::int64_t> operator[](Name attribute) const {
    const std::size_t slot = FoundAttrs<drawn_names>::slot(attribute);
    return (has >> slot & 1U) != 0 ? std::optional(numbers[slot]) : std::nullopt;
  }
};

struct DrawnParent {
  NodeId id;
  DepKind kind;
};

class DrawnRank {
 public:
  // Begins a rank with the rank number and name of `head`.
  explicit DrawnRank(const Trace& head) : rank(head.rank), name(head.name) {}
  // Adds the next nodes of the rank. Throws Error(input) if there are too many.
  void add(const NodeTable& batch);
  // Ends the rank: finds defective ids and dependencies, and sorts the messages.
  void finish();

  Rank rank;
  std::string name;
  RankMessages messages;                  // in issue order
  std::vector<std::uint32_t> duplicates;  // nodes with the id of an earlier node, ascending
  std::vector<GraphDefect> broken;        // dangling and self dependencies, by node
  std::vector<NodeId> missing;            // distinct ids that dangling dependencies refer to, ascending

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] NodeId id(std::uint32_t index) const { return ids_[index]; }
  // Returns the index of the first node with an id; IdIndex::none before finish().
  [[nodiscard]] std::uint32_t find(NodeId id) const { return index_.find(id); }
  // Calls visit(const DrawnNode&) for each node.
  template <typename Visit>
  void for_each_node(const Visit& visit) const;

 private:
  friend class DependencyReader;
  void pack(const Node& node, const DrawnNode& drawn);
  void pack(std::string_view text);
  void pack_dependencies(const NodeTable& batch, const Node& node);
  void add_message(const DrawnNode& node);
  void unpack(protobuf::Cursor& facts, DrawnNode& node) const;
  [[nodiscard]] std::string_view unpack_text(protobuf::Cursor& facts) const;
  void order_messages();

  std::vector<NodeId> ids_;
  std::string facts_;  // facts of all nodes, as varints
  std::string
      dependencies_;  // for each node, as varints: number of dependencies, then node id minus each parent id
  TextSet texts_;
  std::uint32_t last_text_ = no_index;  // index into texts_
  bool in_order_ = true;                // ids ascend and each dependency is on a lower id
  IdIndex index_;
};

// Reads the rest of a rank after its head, and finishes it.
[[nodiscard]] DrawnRank read_drawn(TraceReader& reader, Trace& trace);

// Iterator over the dependencies of a rank, node by node.
class DependencyReader {
 public:
  explicit DependencyReader(const DrawnRank& rank) : rank_(rank), in_(rank.dependencies_) {}
  // Returns the dependencies of the next node: data before control, each in file order. Valid until the next call.
  [[nodiscard]] std::span<const DrawnParent> next();
  // Returns the distinct parents of the next node: next() without self dependencies, missing nodes and repetitions.
  [[nodiscard]] std::span<const DrawnParent> next_parents();

 private:
  [[nodiscard]] bool is_repeated(const DrawnParent& parent, std::size_t dependencies);

  const DrawnRank& rank_;
  protobuf::Cursor in_;
  std::uint32_t next_ = 0;
  std::vector<DrawnParent> all_;
  std::vector<DrawnParent> parents_;
  std::vector<std::uint32_t> stamps_;  // by node: 1 + the last node with many dependencies that named it
};

template <typename Visit>
void DrawnRank::for_each_node(const Visit& visit) const {
  protobuf::Cursor facts(facts_);
  DrawnNode node;
  for (node.index = 0; node.index < size(); ++node.index) {
    unpack(facts, node);
    visit(node);
  }
}

}  // namespace convert::drawing
