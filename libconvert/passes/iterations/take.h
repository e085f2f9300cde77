// SPDX-License-Identifier: MIT
// Makes what a rank does of some of its iterations, once or again and again.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "passes/iterations/iterations.h"

namespace convert {

struct TakenIterations {
  std::size_t first = 0;  // indices of Iterations::numbers
  std::size_t last = 0;
  std::uint64_t repeat = 1;   // how often they are there
  std::int64_t tag_step = 0;  // how far the tags of a copy lie behind those of the one before
  std::int64_t step_ns = 0;   // how much later a copy begins; 0: times are not recorded
};

struct TakenCounts {
  std::uint64_t left_out = 0;  // nodes
  std::uint64_t dropped = 0;   // dependencies on these
  std::uint64_t made = 0;      // dependencies between copies
  void add(const TakenCounts& other, std::uint64_t times);
};

// Gives the prologue, and then, one after the other, the iterations taken. A dependency on the prologue stays. One
// on an earlier iteration becomes one on its partner in the copy that is as many iterations back: the node that is
// alike and comes at the same place of those that are; where there are fewer of these, the last. The first recorded
// iteration depends, in later copies, on the one before as the second does on it; the only one begins when the one
// before has ended. Ids of later copies follow the highest; marks count on.
class IterationTaker {
 public:
  // Both must outlive this object. Throws Error(input) [iterations] if there are not enough ids or marks.
  IterationTaker(const Trace& trace, const Iterations& found, TakenIterations taken);

  // Returns how many parts there are: the prologue, and each iteration.
  [[nodiscard]] std::uint64_t parts() const { return 1 + taken_.repeat * length_; }
  // Returns the nodes of a part. Parts must be asked for in order, each once.
  [[nodiscard]] NodeTable part(std::uint64_t i);
  [[nodiscard]] const TakenCounts& counts() const { return counts_; }

 private:
  using Slot = std::uint64_t;  // the number of an iteration that is given: 0…
  static constexpr Slot no_slot = ~Slot{0};
  struct Place {
    std::uint32_t node;
    Slot slot;
  };
  [[nodiscard]] std::uint32_t recorded(Slot slot) const {
    return static_cast<std::uint32_t>(taken_.first + slot % length_);
  }
  // Returns how many copies are before that of a slot.
  [[nodiscard]] std::int64_t later(Slot slot) const { return static_cast<std::int64_t>(slot / length_); }
  void check_copies();
  void index_classes();
  [[nodiscard]] std::uint32_t partner(std::uint32_t node, std::uint32_t iteration) const;
  [[nodiscard]] NodeId id_of(Place p) const;
  // Returns where what a node of an iteration depends on is, seen from a slot; no_slot: nowhere.
  [[nodiscard]] Place seen_from(Slot slot, std::uint32_t iteration, std::uint32_t parent) const;
  void add_node(std::uint32_t node, Slot slot, NodeTable& out);
  void add_deps(std::uint32_t node, Slot slot, bool data, NodeTable& out);
  void add_to_earlier(std::uint32_t node, Slot slot, bool data, NodeTable& out);
  void add_attributes(std::uint32_t node, Slot slot, NodeTable& out);
  [[nodiscard]] std::string name_of(std::uint32_t node, Slot slot) const;
  void find_ends();

  const Trace& trace_;
  const Iterations& found_;
  TakenIterations taken_;
  std::uint64_t length_;  // iterations taken
  IdIndex ids_;
  NodeId next_id_ = 0;                             // of the first copy
  std::int64_t span_ = 0;                          // how much later the number of an iteration's next copy is
  std::uint64_t block_ = 0;                        // nodes of all iterations taken
  std::vector<std::vector<std::uint32_t>> nodes_;  // by iteration, in the order of the file
  std::vector<std::uint64_t> ordinal_;             // by node: its place in all iterations taken
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> alike_;  // by iteration: class and node
  std::vector<std::uint32_t> classes_, place_;  // by node: its class, and its place among those that are alike
  std::vector<std::uint32_t> sinks_;            // of the only iteration
  std::vector<bool> root_;                      // by node, of the only iteration
  std::string letters_;                         // dep_rules of the node being made
  TakenCounts counts_;
};

}  // namespace convert
