// SPDX-License-Identifier: MIT
// Copies selected iterations of a rank, once or repeatedly.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "passes/iterations/iterations.h"

namespace convert {

// Iterations to take.
struct TakenIterations {
  std::size_t first = 0;  // indices of Iterations::numbers
  std::size_t last = 0;
  std::uint64_t repeat = 1;   // number of copies
  std::int64_t tag_step = 0;  // difference between the tags of a copy and the previous copy
  std::int64_t step_ns = 0;   // time between the begins of copies, in ns; 0: times are not recorded
};

struct TakenCounts {
  std::uint64_t left_out = 0;  // omitted nodes
  std::uint64_t dropped = 0;   // dependencies on omitted nodes
  std::uint64_t made = 0;      // dependencies between copies
  void add(const TakenCounts& other, std::uint64_t times);
};

// Produces the prologue, followed by the iterations taken. A dependency on the prologue is kept. A dependency on an
// earlier iteration becomes one on the counterpart in the copy that is as many iterations back: the like node with
// the same ordinal among like nodes, or the last one if there are fewer. In later copies, the first recorded
// iteration depends on the previous copy as the second iteration depends on the first. A single iteration begins
// when the previous copy has ended. Ids of later copies follow the highest id; marks continue counting.
class IterationTaker {
 public:
  // Both references must outlive this object. Throws Error(input) [iterations] if there are not enough ids or
  // marks.
  IterationTaker(const Trace& trace, const Iterations& found, TakenIterations taken);

  // Returns the number of parts: the prologue, and each iteration.
  [[nodiscard]] std::uint64_t parts() const { return 1 + taken_.repeat * length_; }
  // Returns the nodes of a part. Parts must be requested in order, each once.
  [[nodiscard]] NodeTable part(std::uint64_t i);
  [[nodiscard]] const TakenCounts& counts() const { return counts_; }

 private:
  using Slot = std::uint64_t;  // the number of an output iteration: 0…
  static constexpr Slot no_slot = ~Slot{0};
  struct Place {
    std::uint32_t node;
    Slot slot;
  };
  [[nodiscard]] std::uint32_t recorded(Slot slot) const {
    return static_cast<std::uint32_t>(taken_.first + slot % length_);
  }
  // Returns the number of copies before the copy of a slot.
  [[nodiscard]] std::int64_t later(Slot slot) const { return static_cast<std::int64_t>(slot / length_); }
  void check_copies();
  void index_classes();
  [[nodiscard]] std::uint32_t partner(std::uint32_t node, std::uint32_t iteration) const;
  [[nodiscard]] NodeId id_of(Place p) const;
  // Returns the position of a dependency, seen from a node of an iteration in a slot; no_slot if it does not exist.
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
  std::uint64_t length_;  // number of iterations taken
  IdIndex ids_;
  NodeId next_id_ = 0;                             // of the first copy
  std::int64_t span_ = 0;                          // difference between the iteration numbers of two copies
  std::uint64_t block_ = 0;                        // nodes of all iterations taken
  std::vector<std::vector<std::uint32_t>> nodes_;  // by iteration, in file order
  std::vector<std::uint64_t> ordinal_;             // by node: its position in all iterations taken
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> alike_;  // by iteration: class and node
  std::vector<std::uint32_t> classes_, place_;  // by node: its class, and its position among like nodes
  std::vector<std::uint32_t> sinks_;            // of the only iteration
  std::vector<bool> root_;                      // by node, of the only iteration
  std::string letters_;                         // dep_rules of the current node
  TakenCounts counts_;
};

}  // namespace convert
