// SPDX-License-Identifier: MIT
// Answers for many pairs of steps at once whether they are ordered in every execution.
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

// Limits the places and edges that a search for orders visits: some seconds.
inline constexpr std::uint64_t order_budget = std::uint64_t{3} << 29U;

enum class Answer : std::uint8_t { open, ordered, unordered };

// Adds edges from a step to one that starts only when it has completed: the order of chains, and dependencies.
void add_local_edges(const StepGraph& graph, std::vector<StepPair>& edges);
// Adds edges from each send to its receive. FIFO back-pressure is no order.
void add_message_edges(const StepGraph& graph, std::vector<StepPair>& edges);

// Returns all steps in an order in which they can run, as if messages that steps await in a cycle had arrived.
[[nodiscard]] std::vector<std::uint32_t> running_order(const StepGraph& graph);

// Answers questions by sweeps over the steps' places, each from the first to the last place asked about. A sweep
// carries along the edges what a place comes after (or before): marks of up to 256 steps asked about or, if many of
// these lie on few paths, the last step of up to 8 paths. So questions cost little if their steps are near each
// other, or if many share an end or a path; in the worst case 256 of them cost a sweep of the whole.
class Reachability {
 public:
  // Gives each step a place. `order`: every step once, in an order in which they can run; edges against it are
  // left out. `group_of`: by step; the steps of one group get places next to each other, and edges must not leave
  // it.
  Reachability(std::span<const StepPair> edges, std::span<const std::uint32_t> order,
               std::span<const std::uint32_t> group_of);

  // Answers the `pairs` whose answer is open. Each place and edge visited costs 1 of `budget`; if it does not
  // suffice, answers stay open and the budget ends as 0.
  void decide(std::span<const StepPair> pairs, std::span<Answer> answers, std::uint64_t& budget) const;

 private:
  struct Query {
    std::uint32_t from;  // places
    std::uint32_t to;
    std::size_t pair;
  };
  struct Batch {  // queries that one sweep answers
    std::span<const Query> queries;
    std::uint32_t first;  // place
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
  std::vector<std::uint32_t> group_;  // by place
  std::vector<std::uint32_t> path_;   // by place: its path among those that cover all places
  Rows before_;                       // by place: the places that edges come from
};

}  // namespace convert
