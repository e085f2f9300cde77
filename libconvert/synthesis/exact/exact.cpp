// SPDX-License-Identifier: MIT
#include "synthesis/exact/exact.h"

#include <algorithm>
#include <utility>

#include "synthesis/bounds/cuts.h"

namespace convert {
namespace {

constexpr std::int64_t few_trees = 12;  // of a root
constexpr std::int64_t most_trees = 16;
constexpr std::int64_t fewest_trees = 4;
constexpr std::int64_t trees_at_all = 256;
constexpr double worth_a_try = 1.1;  // times the bound, if fewer trees achieve it

// Returns the participants by ascending distance from a root.
std::vector<Device> near_to(const SynthesisProblem& problem, Device root) {
  std::vector<std::uint8_t> seen(problem.graph.devices, 0);
  std::vector<Device> open = {root}, order;
  seen[root] = 1;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (problem.takes_part[open[i]] != 0) order.push_back(open[i]);
    for (const std::uint32_t l : problem.graph.out[open[i]]) {
      const Device to = problem.graph.links[l].to;
      if (std::exchange(seen[to], 1) == 0) open.push_back(to);
    }
  }
  return order;
}

// Maps trees of participants to the routes of their edges.
class WayPicker {
 public:
  WayPicker(const SynthesisProblem& problem, std::vector<DirectEdge> edges)
      : problem_(problem),
        links_(problem.graph.links),
        edges_(std::move(edges)),
        passed_(problem.graph.devices, 0),
        parts_(problem.graph.devices, 0) {}

  TreePacking::Tree lead(Device root, std::span<const std::uint32_t> edges) {
    std::ranges::fill(passed_, 0);
    std::ranges::fill(parts_, 0);
    reached_ = {root};
    std::vector<std::vector<std::uint32_t>> ways;
    for (const std::uint32_t e : edges) {
      ways.push_back(way_over(edges_[e]));
      reached_.push_back(edges_[e].to);
    }
    TreePacking::Tree tree{.root = root};
    for (const auto& way : ways) add(tree, way);
    return tree;
  }

 private:
  [[nodiscard]] bool is_passing_npu(Device d) const {
    return problem_.graph.is_npu(d) && problem_.takes_part[d] == 0;
  }

  // Takes a route with the fewest NPUs that the tree has already passed. The route begins at the last of these
  // NPUs.
  std::vector<std::uint32_t> way_over(DirectEdge& edge) {
    std::size_t best = 0;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t w = 0; w < edge.ways.size(); ++w) {
      if (edge.ways[w].count == 0) continue;
      const auto again = static_cast<std::size_t>(
          std::ranges::count_if(edge.ways[w].links, [&](std::uint32_t l) { return passed_[links_[l].from] != 0; }));
      if (again >= fewest) continue;
      best = w;
      fewest = again;
    }
    --edge.ways[best].count;
    std::vector<std::uint32_t> way = edge.ways[best].links;
    if (fewest != 0 && problem_.turned) {
      if (std::vector<std::uint32_t> other = detour(edge.to); !other.empty()) way = std::move(other);
    }
    for (std::size_t i = way.size(); i-- > 1;) {
      const Device d = links_[way[i]].from;
      if (passed_[d] == 0) continue;
      parts_[d] = 1;
      way.erase(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    for (const std::uint32_t l : way) {
      if (is_passing_npu(links_[l].from)) passed_[links_[l].from] = 1;
    }
    return way;
  }

  // Returns a shortest route, independent of load, from a participant that the tree has reached, over devices that
  // it has not passed; empty if no such route exists.
  [[nodiscard]] std::vector<std::uint32_t> detour(Device to) const {
    std::vector<std::uint32_t> by(problem_.graph.devices, no_index);  // last link to each device
    std::vector<Device> open = reached_;
    for (std::size_t i = 0; i < open.size() && by[to] == no_index; ++i) {
      for (const std::uint32_t l : problem_.graph.out[open[i]]) {
        const Device d = links_[l].to;
        if (by[d] != no_index || passed_[d] != 0 || (problem_.takes_part[d] != 0 && d != to)) continue;
        by[d] = l;
        open.push_back(d);
      }
    }
    std::vector<std::uint32_t> way;
    for (Device d = to; by[d] != no_index; d = links_[by[d]].from) way.push_back(by[d]);
    std::ranges::reverse(way);
    return way;
  }

  // Ends arcs where other arcs begin.
  void add(TreePacking::Tree& tree, std::span<const std::uint32_t> way) const {
    TreeArc arc{.from = links_[way.front()].from};
    arc.way.begin = static_cast<std::uint32_t>(tree.links.size());
    for (std::size_t i = 0; i < way.size(); ++i) {
      tree.links.push_back(way[i]);
      ++arc.way.count;
      arc.to = links_[way[i]].to;
      if (i + 1 < way.size() && parts_[arc.to] == 0) continue;
      tree.arcs.push_back(arc);
      arc = {.from = arc.to, .to = 0, .way = {static_cast<std::uint32_t>(tree.links.size()), 0}};
    }
  }

  const SynthesisProblem& problem_;
  const std::vector<LinkGraph::Link>& links_;
  std::vector<DirectEdge> edges_;
  std::vector<std::uint8_t> passed_;  // by device: a non-participating NPU that the tree has reached
  std::vector<Device> reached_;       // participants that the tree has reached
  std::vector<std::uint8_t> parts_;   // by device: a non-participant at which routes of the tree begin
};

}  // namespace

ExactPacker::ExactPacker(const SynthesisProblem& problem, std::span<const Device> roots)
    : problem_(problem),
      roots_(roots.begin(), roots.end()),
      demand_{.participants = near_to(problem, roots.front()), .roots = roots_} {
  const WorstCut worst = roots.size() == 1 ? worst_broadcast_cut(problem.graph, problem.participants, roots.front())
                                           : worst_gather_cut(problem.graph, problem.participants);
  const Fraction ratio = worst.cut.ratio();
  bound_ = reduced(static_cast<WideUnsigned>(ratio.numerator), static_cast<WideUnsigned>(ratio.denominator));
}

std::optional<Device> ExactPacker::uneven() const {
  std::vector<std::int64_t> bandwidths;
  for (const LinkGraph::Link& l : problem_.graph.links) bandwidths.push_back(l.bandwidth);
  return uneven_device(problem_.graph, problem_.participants, bandwidths);
}

bool ExactPacker::minds(const SplitChoice& choice) const {
  std::vector<std::uint32_t> others = hops_from(problem_.graph, problem_.participants);
  std::erase_if(others, [](std::uint32_t hops) { return hops == 0 || hops == no_index; });
  const auto [nearest, farthest] = std::ranges::minmax_element(others);
  return (choice.prune || !others.empty()) && (choice.far_first || (!others.empty() && *nearest != *farthest));
}

std::vector<TreeScale> ExactPacker::scales(std::optional<std::uint32_t> pieces) const {
  const auto takes = [&](std::int64_t trees) { return !pieces || *pieces % trees == 0; };
  const auto over_bound = [&](const TreeScale& s) {
    return s.per_bandwidth.value() / bound_.value() / static_cast<double>(s.trees);
  };
  const std::int64_t exact = exact_tree_count(problem_.graph, bound_);
  const std::int64_t few =
      std::min(few_trees, std::max(fewest_trees, trees_at_all / static_cast<std::int64_t>(roots_.size())));
  const std::int64_t most = exact <= few && takes(exact) ? exact : few;
  const auto scale = [&](std::int64_t trees) -> std::optional<TreeScale> {
    if (!takes(trees)) return std::nullopt;
    TreeDemand demand = demand_;
    demand.trees = trees;
    std::optional<TreeScale> out = scale_trees(problem_.graph, demand, bound_);
    if (out && uneven_device(problem_.graph, problem_.participants, out->capacities)) return std::nullopt;
    return out;
  };
  std::vector<TreeScale> all;
  for (std::int64_t trees = 1; trees <= most; ++trees) {
    if (std::optional<TreeScale> s = scale(trees)) all.push_back(std::move(*s));
  }
  // With the same number of chunks, fewer trees have larger chunks, and more of these take the shortest routes.
  std::vector<TreeScale> out;
  while (!all.empty()) {
    const auto best = std::ranges::min_element(all, {}, over_bound);
    out.push_back(std::move(*best));
    all.erase(best, all.end());
    std::erase_if(all, [&](const TreeScale& s) { return over_bound(s) > worth_a_try; });
  }
  // With more trees of one root, an NPU can forward some several times and others never, so the trees are shallow.
  if (roots_.size() != 1 || out.empty()) return out;
  for (std::int64_t trees = 2 * out.front().trees; trees <= most_trees; trees *= 2) {
    if (std::optional<TreeScale> s = scale(trees)) out.push_back(std::move(*s));
  }
  return out;
}

// Returns the time of a usual chunk on the longest route.
std::int64_t ExactPacker::length_of(const DirectEdge& edge) const {
  constexpr std::int64_t usual = 64;  // chunks of a participant's shard
  const std::int64_t bytes =
      problem_.shard_bytes / (usual * problem_.size() / static_cast<std::int64_t>(roots_.size()));
  std::int64_t longest = 0;
  for (const WayBundle& w : edge.ways) {
    std::int64_t length = 0;
    for (const std::uint32_t l : w.links) length += hop_time(problem_, l, std::max<std::int64_t>(1, bytes)).arrival;
    longest = std::max(longest, length);
  }
  return longest;
}

std::optional<TreePacking> ExactPacker::pack(const TreeScale& scale, const ExactChoice& choice) const {
  TreeDemand demand = demand_;
  demand.trees = scale.trees;
  std::vector<DirectEdge> direct = split_off_others(problem_.graph, demand, scale.capacities, choice.split);
  std::vector<std::uint32_t> place(problem_.graph.devices, 0);
  for (std::uint32_t i = 0; i < problem_.size(); ++i) place[problem_.participants[i]] = i;
  std::vector<BranchingEdge> edges;
  for (const DirectEdge& e : direct) {
    edges.push_back({place[e.from], place[e.to], e.capacity(), length_of(e)});
  }
  std::vector<std::uint32_t> roots;
  for (const Device r : roots_) roots.push_back(place[r]);
  const auto branchings = pack_branchings(problem_.size(), edges, roots, scale.trees, choice.grow);
  if (!branchings) return std::nullopt;

  TreePacking packing{.of_root = static_cast<std::uint32_t>(scale.trees)};
  WayPicker picker(problem_, std::move(direct));
  std::vector<std::int64_t> loads(problem_.graph.links.size(), 0);
  for (const Device root : roots_) {
    for (const Branching& b : *branchings) {
      if (b.root != place[root]) continue;
      for (std::int64_t k = 0; k < b.count; ++k) {
        packing.trees.push_back(picker.lead(root, b.edges));
        if (problem_.turned && packing.trees.back().arcs.size() >= problem_.size()) return std::nullopt;
        for (const std::uint32_t l : packing.trees.back().links) ++loads[l];
      }
    }
  }
  for (std::uint32_t l = 0; l < loads.size(); ++l) {
    const double allowed = static_cast<double>(scale.trees) * static_cast<double>(bound_.numerator) *
                           static_cast<double>(problem_.graph.links[l].bandwidth);
    const double used = static_cast<double>(loads[l]) * static_cast<double>(bound_.denominator);
    packing.load = std::max(packing.load, used / allowed);
  }
  return packing;
}

}  // namespace convert
