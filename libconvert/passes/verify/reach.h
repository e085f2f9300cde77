// SPDX-License-Identifier: MIT
// Determines for many pairs of steps at once whether they are ordered in every execution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.h"
#include "passes/verify/step_graph.h"

namespace convert {

struct StepPair {
  std::uint32_t from;
  std::uint32_t to;
};

// Limits the positions and edges visited by a search for orders; it takes some seconds.
inline constexpr std::uint64_t order_budget = std::uint64_t{3} << 29U;

enum class Answer : std::uint8_t { open, ordered, unordered };

// Adds edges from a step to each step that starts only when it has completed: the order of chains, and
// dependencies.
void add_local_edges(const StepGraph& graph, std::vector<StepPair>& edges);
// Adds edges from each send to its receive. FIFO back-pressure does not count as an order.
void add_message_edges(const StepGraph& graph, std::vector<StepPair>& edges);

// Returns all steps in an order in which they can run, assuming that messages awaited in a cycle have arrived.
[[nodiscard]] std::vector<std::uint32_t> running_order(const StepGraph& graph);

// Answers queries by sweeps over the steps' positions, each from the first to the last queried position. A sweep
// propagates along the edges which steps a position comes after (or before): marks of up to 256 queried steps or,
// if many queries lie on few paths, the last step of up to 8 paths. Queries are thus cheap if their steps are
// close, or if many share an end or a path. In the worst case, 256 queries cost a sweep over all steps.
class Reachability {
 public:
  // Assigns a position to each step. `order`: every step once, in an order in which they can run; edges against it
  // are ignored. `group_of`: by step; the steps of a group get adjacent positions, and edges must stay within a
  // group.
  Reachability(std::span<const StepPair> edges, std::span<const std::uint32_t> order,
               std::span<const std::uint32_t> group_of);

  // Answers the `pairs` whose answer is open. Each visited position and edge costs 1 of `budget`. If the budget is
  // exhausted, answers stay open and the budget becomes 0.
  void decide(std::span<const StepPair> pairs, std::span<Answer> answers, std::uint64_t& budget) const;

 private:
  struct Query {
    std::uint32_t from;  // positions
    std::uint32_t to;
    std::size_t pair;
  };
  struct Batch {  // queries answered by one sweep
    std::span<const Query> queries;
    std::uint32_t first;  // position
    std::uint32_t last;
  };
  void cover_with_paths();
  [[nodiscard]] std::vector<Query> queries(std::span<const StepPair> pairs, std::span<Answer> answers) const;
  template <typename Key>
  static std::vector<Batch> batches(std::span<Query> all, std::size_t most, const Key& key);
  void sweep_marks(const Batch& batch, bool forward, std::span<Answer> answers) const;
  void sweep_paths(const Batch& batch, std::span<Answer> answers) const;
  [[nodiscard]] std::uint64_t cost(std::span<const Batch> batches) const;

  std::vector<std::uint32_t> place_;  // by step: by group, then by the length of the longest path to it
  std::vector<std::uint32_t> group_;  // by position
  std::vector<std::uint32_t> path_;   // by position: its path in the path cover
  Rows before_;                       // by position: sources of its incoming edges
};

}  // namespace convert
