// SPDX-License-Identifier: MIT
// Maintains a topological order of a graph while edges are added one by one; rejects edges that close a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.h"

namespace convert {

class IncrementalOrder {
 public:
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
  };
  // Starts without edges. `edges`: the edges that may be added, by number; must outlive this object. `order`: all
  // nodes, in an order that the first added edges should agree with.
  IncrementalOrder(const std::vector<std::uint32_t>& order, std::span<const Edge> edges);

  // Adds an edge. Returns false, and adds nothing, if it would close a cycle. Visits only nodes between its ends in
  // the present order, and none if the edge agrees with that order.
  bool add(std::uint32_t edge);

 private:
  bool reach_forward(std::uint32_t from, std::uint32_t target);
  void reach_backward(std::uint32_t from, std::uint32_t lowest);
  void reorder();

  std::span<const Edge> edges_;
  std::vector<std::uint32_t> place_;  // by node
  Rows out_;                          // by node: numbers of edges
  Rows in_;
  std::vector<bool> added_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
};

}  // namespace convert
