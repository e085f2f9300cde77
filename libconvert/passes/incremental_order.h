// SPDX-License-Identifier: MIT
// A topological order that edges are added to, one by one, unless they close a circle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convert {

class IncrementalOrder {
 public:
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
  };
  // `order`: all nodes, one of those orders that the edges added at first must not contradict. `edges` are those
  // that may be added, by number.
  IncrementalOrder(const std::vector<std::uint32_t>& order, std::span<const Edge> edges);

  // Adds an edge. False, and nothing is added, if it closes a circle with those added before. Looks only at nodes
  // between its ends in the present order, and at none if it agrees with that.
  bool add(std::uint32_t edge);

 private:
  struct Rows {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> edges;  // numbers
    [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
      return std::span(edges).subspan(begin[node], begin[node + 1] - begin[node]);
    }
  };
  template <typename End>
  [[nodiscard]] Rows rows(const End& end) const;
  bool reach_forward(std::uint32_t from, std::uint32_t target);
  void reach_backward(std::uint32_t from, std::uint32_t lowest);
  void reorder();

  std::span<const Edge> edges_;
  std::vector<std::uint32_t> place_;  // by node
  Rows out_;
  Rows in_;
  std::vector<bool> added_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
};

}  // namespace convert
