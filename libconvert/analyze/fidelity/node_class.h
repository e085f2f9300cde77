// SPDX-License-Identifier: MIT
// Sorts nodes into classes, and tells how far the frequencies of classes in two sets are apart.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "core/trace.h"

namespace convert {

// A computation, or a node of memory, is of a class by its type, where it runs and its name; of communication by
// its type, collective, bytes, group and peer.
struct NodeClass {
  NodeType type = NodeType::invalid;
  bool on_cpu = false;
  std::uint64_t name = 0;   // number_of_name(); 0: of communication
  std::int64_t op = -1;     // comm_type of a collective
  std::int64_t bytes = -1;  // comm_size
  std::uint64_t group = 0;  // its role, see SetFeatures; 0: all ranks, or none
  std::int64_t peer = 0;    // of a message: how many ranks further on, around all ranks

  [[nodiscard]] bool communicates() const { return type >= NodeType::comm_send && type <= NodeType::comm_coll; }
  friend auto operator<=>(const NodeClass&, const NodeClass&) = default;
};
using ClassCounts = std::map<NodeClass, std::uint64_t>;

// Returns a number for a name, never 0; without the number of an iteration in it ("ProfilerStep#3", "layer 2
// iteration 7"), what each iteration does is of one class.
enum class IterationNumbers : std::uint8_t { without, with };
[[nodiscard]] std::uint64_t number_of_name(std::string_view name, IterationNumbers numbers);

struct ClassDistance {
  // Half the sum of the differences of the frequencies of all classes, from 0 to 1: the share of nodes that would
  // have to be of another class.
  double total_variation = 0;
  // Classes of A and of B whose names the other set does not have, and how many of them were taken as the same: of
  // one type and place, the most frequent one of A as the most frequent one of B, and so on. No other renaming has
  // a smaller total variation.
  std::uint64_t unknown_a = 0, unknown_b = 0, renamed = 0;
};
[[nodiscard]] ClassDistance class_distance(const ClassCounts& a, const ClassCounts& b);

}  // namespace convert
