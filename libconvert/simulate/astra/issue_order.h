// SPDX-License-Identifier: MIT
// Order in which ASTRA-sim issues the nodes of a custom algorithm that become free together: the iteration order of
// the hash tables of their ids.
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

// The part of the order that does not depend on the run. Nodes are numbered as in the feeder.
struct IssueOrder {
  IssueOrder(const NodeTable& table, const Graph& graph, const Feeder& feeder);

  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const {
    return std::span(children_of_all).subspan(child_begin[node], child_begin[node + 1] - child_begin[node]);
  }
  friend bool operator==(const IssueOrder&, const IssueOrder&) = default;

  std::vector<std::uint32_t> first{};            // nodes free at the start, in issue order
  std::uint32_t bucket_count = 1;                // of the set of free nodes after the start
  std::vector<std::uint32_t> child_begin{};      // by node, with an end entry
  std::vector<std::uint32_t> children_of_all{};  // by node: its children in the order in which its end frees them
};

// Sorts nodes into issue order while an algorithm runs. One object serves any number of runs. Each run keeps the
// bucket_count of its set of free nodes, which starts at IssueOrder::bucket_count; the set is empty between rounds.
class IssueArranger {
 public:
  // Sorts `fresh`, the nodes that the end of `node` has just freed.
  void arrange(const RankCode& code, const Feeder& feeder, std::uint32_t node, std::span<std::uint32_t> fresh,
               std::uint32_t& bucket_count);

 private:
  HashOrder set_;
  std::vector<std::uint32_t> freed_;
};

}  // namespace convert
