// SPDX-License-Identifier: MIT
// Finds the order in which ASTRA-sim issues the nodes of a custom algorithm that become free together: the one in
// which it walks the hash tables of their ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.h"
#include "feeder/feeder.h"
#include "graph/graph.h"
#include "simulate/astra/hash_order.h"

namespace convert {

struct RankCode;

// Holds what of the order does not depend on the run. Nodes are the feeder's.
struct IssueOrder {
  IssueOrder(const NodeTable& table, const Graph& graph, const Feeder& feeder);

  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const {
    return std::span(children_of_all).subspan(child_begin[node], child_begin[node + 1] - child_begin[node]);
  }
  friend bool operator==(const IssueOrder&, const IssueOrder&) = default;

  std::vector<std::uint32_t> first{};            // free at the start, in the order in which they are issued
  std::uint32_t bucket_count = 1;                // of the set of free nodes then
  std::vector<std::uint32_t> child_begin{};      // by node, and one more
  std::vector<std::uint32_t> children_of_all{};  // of a node: in the order in which its end tells them
};

// Puts nodes into that order while an algorithm runs. One object serves any number of runs, each of which keeps the
// bucket_count of its set of free nodes, at first that of the IssueOrder; between rounds the set is empty.
class IssueArranger {
 public:
  // Orders `fresh`, the nodes that the end of `node` has just freed.
  void arrange(const RankCode& code, const Feeder& feeder, std::uint32_t node, std::span<std::uint32_t> fresh,
               std::uint32_t& bucket_count);

 private:
  HashOrder set_;
  std::vector<std::uint32_t> freed_;
};

}  // namespace convert
