// SPDX-License-Identifier: MIT
// Makes data dependencies as the reference program (see convert.h) does: one chain of operators for each thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/id_lookup.h"
#include "core/rows.h"
#include "core/trace.h"

namespace convert::compat {

// Holds what conversion needs of a node beside its Node.
struct Entry {
  std::uint32_t parent = IdLookup::none;  // into the nodes; none: not in the trace
  bool device = false;
  bool emitted = false;
  bool thread = false;  // its name is that of a thread
  bool visited = false;
  std::uint8_t dep_count = 0;
  NodeId follows = 0;  // inter_thread_dep; 0: none
  std::array<NodeId, 2> deps{};
};

// Finds nodes by id: of several with one id the last.
[[nodiscard]] inline IdLookup last_by_id(const NodeTable& nodes) {
  return {nodes.nodes.size(), [&](std::size_t i) { return std::optional(nodes.nodes[i].id); },
          IdLookup::Equal::last};
}

// Lists the children of each node.
class Children {
 public:
  Children(std::span<const Node> nodes, const std::vector<Entry>& entries, std::span<const std::uint32_t> order);
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const { return rows_[node]; }
  // Sorts children by id; before, they stand in the order of the trace.
  void sort_by_id(std::span<const Node> nodes);

 private:
  Rows rows_;
};

// Sets Entry::deps. `emitted`: the nodes in the order in which they were converted.
void add_dependencies(const Trace& trace, std::vector<Entry>& entries, const Children& children,
                      std::span<const std::uint32_t> emitted);
// Returns the emitted nodes without those that depend on nothing and that nothing depends on.
[[nodiscard]] std::vector<std::uint32_t> without_loose_nodes(const std::vector<Entry>& entries,
                                                             const IdLookup& index,
                                                             std::span<const std::uint32_t> emitted);
// Throws where the reference, searching for cycles, would fail.
void check_dependencies(const Trace& trace, const std::vector<Entry>& entries, const IdLookup& index,
                        std::span<const std::uint32_t> kept);

}  // namespace convert::compat
