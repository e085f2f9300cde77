// SPDX-License-Identifier: MIT
// Grows trees over a network whose links become longer with their load.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "synthesis/trees/packing.h"

namespace convert {

// Loads of links in trees, and the resulting lengths.
class LinkLoads {
 public:
  // `choice.trees`: number of trees that carry a shard.
  // `share`: see pack_trees().
  // `base`: lengths, in any unit, of links without load; empty: 1 over their bandwidth.
  // `link_class`: see pack_trees().
  LinkLoads(const SynthesisProblem& problem, double share, const TreeChoice& choice,
            std::span<const std::int64_t> base = {}, std::span<const std::uint32_t> link_class = {});
  // Loads in units of any size, such as bytes: a link of bandwidth 1 can carry `share` units. Trees and routes add
  // the units set by the last set_step().
  LinkLoads(const SynthesisProblem& problem, double share) : LinkLoads(problem, share, {}) {}

  // Sets the load that the next tree or route adds to a link, at least 1, instead of 1.
  void set_step(std::int64_t step) {
    if (std::exchange(step_, step) == step || fixed_) return;
    for (std::uint32_t l = 0; l < loads_.size(); ++l) length_[l] = length_of(l);
  }

  [[nodiscard]] double length(std::uint32_t link) const { return length_[class_[link]]; }
  void change(std::uint32_t link, std::int32_t by) {
    const std::uint32_t c = class_[link];
    loads_[c] += by * step_;
    if (!fixed_) length_[c] = length_of(c);
  }
  [[nodiscard]] bool is_overloaded(std::uint32_t link) const {
    return static_cast<double>(loads_[class_[link]]) > capacity_[class_[link]] * (1 + tolerance);
  }
  [[nodiscard]] bool any_overloaded() const;
  // Returns the largest load, relative to what the link can carry.
  [[nodiscard]] double worst() const;

  void add(std::span<const std::uint32_t> links) {
    for (const std::uint32_t l : links) change(l, 1);
  }
  void remove(std::span<const std::uint32_t> links) {
    for (const std::uint32_t l : links) change(l, -1);
  }
  [[nodiscard]] bool overloads(std::span<const std::uint32_t> links) const;

 private:
  static constexpr double tolerance = 1e-9;
  [[nodiscard]] double length_of(std::uint32_t link) const;

  std::vector<std::uint32_t> class_;  // by link
  std::vector<std::int64_t> loads_;   // by class, as are the following members
  std::int64_t step_ = 1;
  std::vector<double> capacity_;  // in trees
  std::vector<double> bandwidth_;
  std::vector<double> length_;
  std::vector<double> least_;
  bool fixed_ = false;
};

// Grows one tree at a time. Candidates are the links from its members to other participants. Their keys are updated
// when they reach the top, since loads only rise while a tree grows. Routes over switches are searched again after
// each one, or with many participants after several, as its load changes all routes that share a link with it.
class TreeGrower {
 public:
  // Behaviour of non-participating NPUs: copy keeps the data, so that the tree continues from there; pass_once
  // forwards it once (for reductions, which they cannot compute).
  enum class Bystanders : std::uint8_t { copy, pass_once };

  // All must outlive this object. The links of `loads` are the links of the problem's graph.
  TreeGrower(const SynthesisProblem& problem, LinkLoads& loads, const TreeChoice& choice, Bystanders bystanders)
      : problem_(problem),
        graph_(problem.graph),
        loads_(loads),
        lambda_(choice.lambda),
        delta_(choice.delta),
        bystanders_(bystanders),
        at_once_(std::max<std::size_t>(1, problem.size() / few)),
        nodes_(graph_.devices),
        labels_(graph_.devices) {}

  // Replaces a tree by one from its root to all participants, and adds its loads. Returns false, with an incomplete
  // tree, if non-participating NPUs would have to forward data twice.
  [[nodiscard]] bool grow(TreePacking::Tree& tree);

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  struct Candidate {
    double key = infinite;
    std::uint32_t link = no_index;                                   // last link of a route
    friend bool operator<(const Candidate& a, const Candidate& b) {  // the least comes first
      return a.key != b.key ? a.key > b.key : a.link > b.link;
    }
  };
  struct Node {
    std::uint32_t epoch = 0;
    bool member = false;
    bool used = false;  // a forwarding device that may not forward again
    double cost = 0;    // of members
    std::uint32_t depth = 0;
  };
  // Best route to a forwarding device, in one search.
  struct Label {
    std::uint32_t search = 0;
    bool settled = false;
    double key = 0;
    std::uint32_t by = no_index;  // its last link
    Device origin = 0;            // the member at its start
    double length = 0;
  };

  [[nodiscard]] Node& node(Device d) {
    Node& n = nodes_[d];
    if (n.epoch != epoch_) n = {.epoch = epoch_};
    return n;
  }
  [[nodiscard]] double key_of(const Node& origin, double length) const {
    return lambda_ * origin.cost + length * (1 + delta_ * static_cast<double>(origin.depth));
  }
  [[nodiscard]] bool is_relay(Device d) const { return problem_.takes_part[d] == 0; }
  void join(Device d, double cost, std::uint32_t depth);
  [[nodiscard]] Candidate best_direct();
  [[nodiscard]] Candidate next_over_relays(double below);
  [[nodiscard]] double key_now(std::uint32_t link);
  void search_over_relays(double below);
  void pass_on(Device at, double below);
  void improve(Device to, const Label& label, double below);
  void attach(const Candidate& candidate);
  void add_arc(std::span<const std::uint32_t> backwards, double cost);

  const SynthesisProblem& problem_;
  const LinkGraph& graph_;
  LinkLoads& loads_;
  const double lambda_;
  const double delta_;
  const Bystanders bystanders_;
  static constexpr std::uint32_t few = 64;
  const std::size_t at_once_;  // number of routes that one search finds: searches with many participants take long
  std::vector<Node> nodes_;    // by device
  std::uint32_t epoch_ = 0;
  std::priority_queue<Candidate> direct_;
  std::vector<std::uint32_t> to_relays_;  // links from members
  std::vector<Label> labels_;             // by device
  std::uint32_t search_ = 0;
  std::priority_queue<Candidate> ways_;  // of a search
  std::vector<Candidate> found_;         // found by a search and not yet examined, the best last
  double longest_ = 0;                   // largest key of the routes found
  std::vector<std::uint32_t> way_;       // in reverse
  TreePacking::Tree* tree_ = nullptr;
};

}  // namespace convert
