// SPDX-License-Identifier: MIT
// Table of one rank's nodes, reduced to the fields that a pass needs. Filled batch by batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/attr_names.h"
#include "core/index_table.h"
#include "core/trace.h"

namespace convert {

// Selection of the node fields to keep. Id, type, times and dependencies are always kept. Inputs, outputs and
// unknown fields are kept only for nodes kept whole.
class NodeParts {
 public:
  enum class On : std::uint8_t {
    none,
    first,          // the first node that has it
    communication,  // the first node that has it
    all,
  };

  // Keep the attributes with the given names, the names of nodes, or the positions in the file. The names must be
  // from core/attr_names.h.
  NodeParts& attributes(On on, std::span<const Name> names);
  NodeParts& names(On on) {
    names_ = on;
    return *this;
  }
  NodeParts& positions() {
    positions_ = true;
    return *this;
  }
  // Keeps all fields of nodes that have an attribute with this name.
  NodeParts& whole(Name attribute) {
    whole_ = attribute;
    return *this;
  }

 private:
  friend class KeptNodes;
  std::array<On, attr::count> attributes_{};
  On names_ = On::none;
  bool positions_ = false;
  Name whole_{};  // the empty name matches no node
};

// Returns the fields that communication_order(), messages_of() and collectives_of() read.
[[nodiscard]] NodeParts communication_parts();

// Collects the nodes of one rank. Equal texts are stored once.
class KeptNodes {
 public:
  explicit KeptNodes(const NodeParts& parts) : parts_(parts) {}

  // Adds the nodes of a batch. Throws Error(input) if the table exceeds 32-bit indices.
  void add(const NodeTable& batch);
  [[nodiscard]] NodeTable take() { return std::move(table_); }

 private:
  void add_parts(const NodeTable& batch, const Node& node);
  void add_attributes(const NodeTable& batch, const Node& node, bool communicates);
  Text add_text(std::string_view text);

  NodeParts parts_;
  NodeTable table_;
  Text last_name_{};
  IndexTable<> text_rows_;   // indices into texts_
  std::vector<Text> texts_;  // distinct texts in table_
};

}  // namespace convert
