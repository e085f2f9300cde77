// SPDX-License-Identifier: MIT
// Adds data dependencies like the reference program (see convert.h): one chain of operators for each thread.
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

// Conversion state of a node, in addition to its Node.
struct Entry {
  std::uint32_t parent = IdLookup::none;  // index of the node; none: not in the trace
  bool device = false;
  bool emitted = false;
  bool thread = false;  // the node has the name of a thread
  bool visited = false;
  std::uint8_t dep_count = 0;
  NodeId follows = 0;  // inter_thread_dep; 0: none
  std::array<NodeId, 2> deps{};
};

// Finds nodes by id; the last one if an id repeats.
[[nodiscard]] inline IdLookup last_by_id(const NodeTable& nodes) {
  return {nodes.nodes.size(), [&](std::size_t i) { return std::optional(nodes.nodes[i].id); },
          IdLookup::Equal::last};
}

// Children of each node.
class Children {
 public:
  Children(std::span<const Node> nodes, const std::vector<Entry>& entries, std::span<const std::uint32_t> order);
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const { return rows_[node]; }
  // Sorts children by id. Until then they are in trace order.
  void sort_by_id(std::span<const Node> nodes);

 private:
  Rows rows_;
};

// Sets Entry::deps. `emitted`: the nodes in the order of conversion.
void add_dependencies(const Trace& trace, std::vector<Entry>& entries, const Children& children,
                      std::span<const std::uint32_t> emitted);
// Returns the emitted nodes without the isolated ones, which have neither dependencies nor dependents.
[[nodiscard]] std::vector<std::uint32_t> without_loose_nodes(const std::vector<Entry>& entries,
                                                             const IdLookup& index,
                                                             std::span<const std::uint32_t> emitted);
// Throws Error(input) if the reference program's search for cycles would fail.
void check_dependencies(const Trace& trace, const std::vector<Entry>& entries, const IdLookup& index,
                        std::span<const std::uint32_t> kept);

}  // namespace convert::compat
