// SPDX-License-Identifier: MIT
// Keeps of the nodes of a rank, batch by batch, what a pass needs of them: a table of the whole rank without the
// rest.
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

// Says what of nodes is kept: id, type, times and dependencies always; inputs, outputs and unknown fields only with
// the whole node.
class NodeParts {
 public:
  enum class On : std::uint8_t {
    none,
    first,          // the first node that has it
    communication,  // sends, receives and collectives
    all,
  };

  // Keep attributes of these names, names of nodes, places in the file. Names of attributes are of
  // core/attr_names.h.
  NodeParts& attributes(On on, std::span<const Name> names);
  NodeParts& names(On on) {
    names_ = on;
    return *this;
  }
  NodeParts& positions() {
    positions_ = true;
    return *this;
  }
  // Keeps everything of nodes that have an attribute of this name.
  NodeParts& whole(Name attribute) {
    whole_ = attribute;
    return *this;
  }

 private:
  friend class KeptNodes;
  std::array<On, attr::count> attributes_{};
  On names_ = On::none;
  bool positions_ = false;
  Name whole_{};  // the empty name: of no node
};

// Returns what communication_order(), messages_of() and collectives_of() read.
[[nodiscard]] NodeParts communication_parts();

// Collects the nodes of one rank. Equal texts are held once.
class KeptNodes {
 public:
  explicit KeptNodes(const NodeParts& parts) : parts_(parts) {}

  // Adds the nodes of a batch. Throws Error(input) when they outgrow 32-bit table indices.
  void add(const NodeTable& batch);
  [[nodiscard]] NodeTable take() { return std::move(table_); }

 private:
  void add_parts(const NodeTable& batch, const Node& node);
  void add_attributes(const NodeTable& batch, const Node& node, bool communicates);
  Text add_text(std::string_view text);

  NodeParts parts_;
  NodeTable table_;
  Text last_name_{};
  IndexTable<> text_rows_;   // of texts_
  std::vector<Text> texts_;  // of table_, each once
};

}  // namespace convert
