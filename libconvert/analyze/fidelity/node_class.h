// SPDX-License-Identifier: MIT
// Classes of nodes, and the distance of the class frequencies of two trace sets.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/trace.h"

namespace convert {

// Class of a node. A computation or a memory node is classified by type, device and name; communication by type,
// collective, bytes, group and peer.
struct NodeClass {
  NodeType type = NodeType::invalid;
  bool on_cpu = false;
  std::uint64_t name = 0;   // number_of_name(); 0 for communication
  std::int64_t op = -1;     // comm_type of a collective
  std::int64_t bytes = -1;  // comm_size
  std::uint64_t group = 0;  // role of the group, see SetFeatures; 0: all ranks, or no group
  std::int64_t peer = 0;    // of a message: distance to the peer in ranks, modulo the number of ranks

  [[nodiscard]] bool communicates() const { return type >= NodeType::comm_send && type <= NodeType::comm_coll; }
  friend auto operator<=>(const NodeClass&, const NodeClass&) = default;
};
using ClassCounts = std::map<NodeClass, std::uint64_t>;

// Returns a number for a name, never 0. Without iteration numbers ("ProfilerStep#3", "layer 2 iteration 7") the
// nodes of all iterations are of one class.
enum class IterationNumbers : std::uint8_t { without, with };
[[nodiscard]] std::uint64_t number_of_name(std::string_view name, IterationNumbers numbers);

struct ClassDistance {
  // Half the sum of the differences of all class frequencies, between 0 and 1: the share of nodes that would have
  // to change class.
  double total_variation = 0;
  // Number of classes of A and of B whose names the other set does not have, and number of pairs matched among
  // them. Classes of one type and device are paired by frequency, the most frequent first. No other renaming has a
  // smaller total variation.
  std::uint64_t unknown_a = 0, unknown_b = 0, renamed = 0;
};
[[nodiscard]] ClassDistance class_distance(const ClassCounts& a, const ClassCounts& b);

}  // namespace convert
