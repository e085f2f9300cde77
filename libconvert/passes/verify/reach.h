// SPDX-License-Identifier: MIT
// Which pairs of steps are ordered, in every execution? Answered for many pairs at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passes/verify/step_graph.h"

namespace convert {

struct StepPair {
  std::uint32_t from;
  std::uint32_t to;
};

// Places and edges that a search for orders visits at most: some seconds.
inline constexpr std::uint64_t order_budget = std::uint64_t{3} << 29U;

enum class Answer : std::uint8_t { open, ordered, unordered };

// Add edges from a step to one that starts only when it has completed. Of each rank: the order of chains, and
// dependencies.
void add_local_edges(const StepGraph& graph, std::vector<StepPair>& edges);
// From a send to its receive. FIFO back-pressure is no order.
void add_message_edges(const StepGraph& graph, std::vector<StepPair>& edges);

// All steps in an order in which they can run. Steps that wait in a circle of messages are ordered as if those
// messages were there already.
[[nodiscard]] std::vector<std::uint32_t> running_order(const StepGraph& graph);

// Steps as a graph that answers by sweeps over its places. A sweep carries along the edges what each place comes
// after (or before), as marks for up to 256 steps that are asked about, or, where many of these lie on few paths,
// as the last step of up to 8 paths; it covers only what lies between the first and the last place asked about. So
// a question costs little if its steps are near each other, or if it shares an end or a path with many others; in
// the worst case 256 of them cost a sweep of the whole.
class Reachability {
 public:
  // `order`: every step once, in an order in which they can run; edges against it are left out. `group_of`: by
  // step; the steps of one group get places next to each other, and edges must not leave it.
  Reachability(std::span<const StepPair> edges, std::span<const std::uint32_t> order,
               std::span<const std::uint32_t> group_of);

  // Answers those of `pairs` that are open. Every place and edge visited costs 1 of `budget`; where it does not
  // suffice, answers stay open and the budget ends as 0.
  void decide(std::span<const StepPair> pairs, std::span<Answer> answers, std::uint64_t& budget) const;

 private:
  struct Query {
    std::uint32_t from;  // places
    std::uint32_t to;
    std::size_t pair;
  };
  struct Batch {  // of queries that one sweep answers
    std::span<const Query> queries;
    std::uint32_t first;  // place
    std::uint32_t last;
  };
  void cover_with_paths();
  [[nodiscard]] std::vector<Query> queries(std::span<const StepPair> pairs, std::span<Answer> answers) const;
  template <typename Key>
  static std::vector<Batch> batches(std::span<Query> queries, std::size_t most, const Key& key);
  void sweep_forward(const Batch& batch, std::span<Answer> answers) const;
  void sweep_backward(const Batch& batch, std::span<Answer> answers) const;
  void sweep_paths(const Batch& batch, std::span<Answer> answers) const;
  [[nodiscard]] std::uint64_t cost(std::span<const Batch> batches) const;

  std::vector<std::uint32_t> place_;   // by step: by group, then by the length of the longest path to it
  std::vector<std::uint32_t> group_;   // by place
  std::vector<std::uint32_t> path_;    // by place: of the paths that cover all, the one that it is on
  std::vector<std::uint32_t> begin_;   // by place: its first entry in before_; one more at the end
  std::vector<std::uint32_t> before_;  // places that edges come from
};

}  // namespace convert
