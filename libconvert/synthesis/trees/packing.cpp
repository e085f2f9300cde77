// SPDX-License-Identifier: MIT
#include "synthesis/trees/packing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace convert {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The loads of links in trees, and how long that makes them.
class LinkLoads {
 public:
  LinkLoads(const SynthesisProblem& problem, double share, const TreeChoice& choice)
      : loads_(problem.graph.links.size()) {
    for (std::uint32_t l = 0; l < loads_.size(); ++l) {
      const auto bandwidth = static_cast<double>(problem.graph.links[l].bandwidth);
      capacity_.push_back(static_cast<double>(choice.trees) * share * bandwidth);
      bandwidth_.push_back(bandwidth);
      length_.push_back(choice.by_time == 0 ? length_of(l)
                                            : static_cast<double>(hop_time(problem, l, choice.by_time).arrival));
    }
    fixed_ = choice.by_time != 0;
  }

  [[nodiscard]] double length(std::uint32_t link) const { return length_[link]; }
  void change(std::uint32_t link, std::int32_t by) {
    loads_[link] += by;
    if (!fixed_) length_[link] = length_of(link);
  }
  [[nodiscard]] bool is_overloaded(std::uint32_t link) const {
    return static_cast<double>(loads_[link]) > capacity_[link] * (1 + tolerance);
  }
  [[nodiscard]] bool any_overloaded() const {
    for (std::uint32_t l = 0; l < loads_.size(); ++l) {
      if (is_overloaded(l)) return true;
    }
    return false;
  }
  [[nodiscard]] double worst() const {
    double worst = 0;
    for (std::uint32_t l = 0; l < loads_.size(); ++l)
      worst = std::max(worst, static_cast<double>(loads_[l]) / capacity_[l]);
    return worst;
  }

 private:
  static constexpr double tolerance = 1e-9;

  [[nodiscard]] double length_of(std::uint32_t link) const {
    constexpr double least = 0.02;
    constexpr double steepness = 12;
    constexpr double too_much = 50;
    const auto load = static_cast<double>(loads_[link]);
    const double length = (least + std::exp(steepness * (load / capacity_[link] - 1))) / bandwidth_[link];
    return load + 1 > capacity_[link] * (1 + tolerance) ? too_much * length : length;
  }

  std::vector<std::int32_t> loads_;
  std::vector<double> capacity_;  // in trees
  std::vector<double> bandwidth_;
  std::vector<double> length_;
  bool fixed_ = false;
};

// Grows one tree at a time. Links from its members to other participants are candidates whose keys are brought up
// to date when they come to the top, as loads only rise while a tree grows; ways over switches are looked for anew
// after each, as its load changes all that share a link with it.
class TreeGrower {
 public:
  TreeGrower(const SynthesisProblem& problem, LinkLoads& loads, const TreeChoice& choice)
      : problem_(problem),
        graph_(problem.graph),
        loads_(loads),
        lambda_(choice.lambda),
        delta_(choice.delta),
        nodes_(graph_.devices) {}

  void grow(TreePacking::Tree& tree) {
    tree.arcs.clear();
    tree.links.clear();
    tree_ = &tree;
    ++epoch_;
    direct_ = {};
    to_relays_.clear();
    join(tree.root, 0, 0);
    for (std::uint32_t left = problem_.size() - 1; left != 0; --left) {
      const Candidate direct = best_direct();
      const Candidate over = to_relays_.empty() ? Candidate{} : best_over_relays(direct.key);
      if (over.key < direct.key) {
        attach(over);
      } else {
        direct_.pop();
        attach(direct);
      }
    }
  }

 private:
  struct Candidate {
    double key = infinite;
    std::uint32_t link = no_index;                                   // the last of a way
    friend bool operator<(const Candidate& a, const Candidate& b) {  // the least comes first
      return a.key != b.key ? a.key > b.key : a.link > b.link;
    }
  };
  struct Node {
    std::uint32_t epoch = 0;
    bool member = false;
    bool used = false;  // a device that passes on, and not again
    double cost = 0;    // of members
    std::uint32_t depth = 0;
  };
  // The best way to a device that passes on, in one search.
  struct Label {
    std::uint32_t search = 0;
    bool settled = false;
    double key = 0;
    std::uint32_t by = no_index;  // its last link
    Device origin = 0;            // the member where it begins
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

  void join(Device d, double cost, std::uint32_t depth) {
    Node& n = node(d);
    n.member = true;
    n.cost = cost;
    n.depth = depth;
    for (const std::uint32_t link : graph_.out[d]) {
      const Device to = graph_.links[link].to;
      if (is_relay(to)) {
        to_relays_.push_back(link);
      } else if (!node(to).member) {
        direct_.push({key_of(n, loads_.length(link)), link});
      }
    }
  }

  // Returns the best link from a member to a participant that is none, which stays at the top; infinite: none.
  [[nodiscard]] Candidate best_direct() {
    while (!direct_.empty()) {
      const Candidate top = direct_.top();
      const LinkGraph::Link& l = graph_.links[top.link];
      if (node(l.to).member) {
        direct_.pop();
        continue;
      }
      const double key = key_of(node(l.from), loads_.length(top.link));
      if (key <= top.key) return top;
      direct_.pop();
      direct_.push({key, top.link});
    }
    return {};
  }

  // Returns the best way over devices that pass on, of less than a key.
  [[nodiscard]] Candidate best_over_relays(double below) {
    labels_.resize(graph_.devices);
    ++search_;
    std::priority_queue<Candidate> heap;
    for (const std::uint32_t link : to_relays_) {
      const LinkGraph::Link& l = graph_.links[link];
      if (node(l.to).used) continue;
      const double length = loads_.length(link);
      improve(
          l.to,
          {.search = search_, .key = key_of(node(l.from), length), .by = link, .origin = l.from, .length = length},
          below, heap);
    }
    while (!heap.empty()) {
      const Candidate top = heap.top();
      heap.pop();
      const Device at = graph_.links[top.link].to;
      if (!is_relay(at)) return top;
      Label& label = labels_[at];
      if (label.settled || label.by != top.link) continue;
      label.settled = true;
      for (const std::uint32_t link : graph_.out[at]) {
        const Device to = graph_.links[link].to;
        if (node(to).member || node(to).used) continue;
        Label next = label;
        next.settled = false;
        next.by = link;
        next.length += loads_.length(link);
        next.key = key_of(node(label.origin), next.length);
        improve(to, next, below, heap);
      }
    }
    return {};
  }
  void improve(Device to, const Label& label, double below, std::priority_queue<Candidate>& heap) {
    Label& known = labels_[to];
    if (label.key >= below || (known.search == search_ && (known.settled || known.key <= label.key))) return;
    known = label;
    heap.push({label.key, label.by});
  }

  void attach(const Candidate& candidate) {
    way_.clear();
    const Device to = graph_.links[candidate.link].to;
    Device from = to;
    for (std::uint32_t link = candidate.link;;) {
      way_.push_back(link);
      loads_.change(link, 1);
      from = graph_.links[link].from;
      if (!is_relay(from)) break;
      link = labels_[from].by;
      node(from).used = graph_.is_npu(from);
    }
    std::vector<std::uint32_t>& links = tree_->links;
    tree_->arcs.push_back(
        {from, to, {static_cast<std::uint32_t>(links.size()), static_cast<std::uint32_t>(way_.size())}});
    links.insert(links.end(), way_.rbegin(), way_.rend());
    join(to, candidate.key, node(from).depth + static_cast<std::uint32_t>(way_.size()));
  }

  const SynthesisProblem& problem_;
  const LinkGraph& graph_;
  LinkLoads& loads_;
  const double lambda_;
  const double delta_;
  std::vector<Node> nodes_;  // by device
  std::uint32_t epoch_ = 0;
  std::priority_queue<Candidate> direct_;
  std::vector<std::uint32_t> to_relays_;  // links from members
  std::vector<Label> labels_;             // by device
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> way_;  // from its end
  TreePacking::Tree* tree_ = nullptr;
};

}  // namespace

TreePacking pack_trees(const SynthesisProblem& problem, std::span<const Device> roots, double share,
                       const TreeChoice& choice) {
  LinkLoads loads(problem, share, choice);
  TreeGrower grower(problem, loads, choice);
  TreePacking packing{.of_root = choice.trees};
  packing.trees.resize(roots.size() * choice.trees);
  // One of each root, then the next of each.
  for (std::uint32_t t = 0; t < choice.trees; ++t) {
    for (std::size_t r = 0; r < roots.size(); ++r) {
      TreePacking::Tree& tree = packing.trees[r * choice.trees + t];
      tree.root = roots[r];
      grower.grow(tree);
    }
  }
  packing.load = loads.worst();
  TreePacking best = packing;
  for (std::uint32_t pass = 0; pass < choice.passes && choice.by_time == 0 && loads.any_overloaded(); ++pass) {
    for (TreePacking::Tree& tree : packing.trees) {
      if (std::ranges::none_of(tree.links, [&](std::uint32_t l) { return loads.is_overloaded(l); })) continue;
      for (const std::uint32_t l : tree.links) loads.change(l, -1);
      grower.grow(tree);
    }
    packing.load = loads.worst();
    if (packing.load < best.load) best = packing;
  }
  return best;
}

TreeMoves moves_of(const SynthesisProblem& problem, const TreePacking& packing, std::uint32_t pieces) {
  TreeMoves out;
  Moves& m = out.moves;
  const std::vector<std::int64_t> sizes = piece_sizes(problem.shard_bytes, std::int64_t{packing.of_root} * pieces);
  std::vector<std::uint32_t> move_to(problem.graph.devices, no_index);  // the move that brings the piece
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    const TreePacking::Tree& tree = packing.trees[t];
    for (std::uint32_t j = 0; j < pieces; ++j) {
      const auto piece = static_cast<std::uint32_t>(m.pieces.size());
      m.pieces.push_back({.owner = tree.root, .bytes = sizes[t % packing.of_root * pieces + j]});
      out.rank.push_back((j + 0.5) / pieces);
      move_to[tree.root] = no_index;
      for (const TreeArc& arc : tree.arcs) {
        Move move{.piece = piece, .from = arc.from, .to = arc.to};
        move.way = {static_cast<std::uint32_t>(m.links.size()), arc.way.count};
        m.links.insert(m.links.end(), tree.links.begin() + arc.way.begin,
                       tree.links.begin() + arc.way.begin + arc.way.count);
        move.parents.begin = static_cast<std::uint32_t>(m.parents.size());
        if (move_to[arc.from] != no_index) {
          m.parents.push_back(move_to[arc.from]);
          move.parents.count = 1;
        }
        move_to[arc.to] = static_cast<std::uint32_t>(m.moves.size());
        m.moves.push_back(move);
      }
    }
  }
  return out;
}

}  // namespace convert
