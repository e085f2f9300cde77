// SPDX-License-Identifier: MIT
#include "synthesis/flows/paths.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "synthesis/trees/growth.h"
#include "synthesis/way_search.h"
#include "util/draw.h"

namespace convert {
namespace {

class PathChooser {
 public:
  PathChooser(const SynthesisProblem& problem, std::span<const Commodity> commodities, double share,
              std::span<const std::int64_t> lengths, const PathChoice& choice)
      : commodities_(commodities),
        choice_(choice),
        loads_(problem, share,
               {.trees = choice.pieces,
                .by_time = choice.shortest ? std::max<std::int64_t>(1, problem.shard_bytes / choice.pieces) : 0},
               lengths),
        paths_(commodities.size() * choice.pieces),
        search_(problem.graph) {}

  // Returns routes by commodity and chunk.
  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<std::uint32_t> order(paths_.size());
    std::iota(order.begin(), order.end(), 0U);
    shuffle(order);
    for (const std::uint32_t i : order) choose(i);
    std::vector<std::vector<std::uint32_t>> best = paths_;
    double best_load = loads_.worst();
    for (std::uint32_t pass = 0; pass < choice_.passes && !choice_.shortest && loads_.any_overloaded(); ++pass) {
      for (const std::uint32_t i : order) {
        if (!loads_.overloads(paths_[i])) continue;
        loads_.remove(paths_[i]);
        choose(i);
      }
      if (loads_.worst() >= best_load) continue;
      best_load = loads_.worst();
      best = paths_;
    }
    return best;
  }

 private:
  void shuffle(std::vector<std::uint32_t>& order) const {
    Draw draw(choice_.seed, 0, 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw.below(i)]);
  }

  void choose(std::uint32_t i) {
    const Commodity& c = commodities_[i / choice_.pieces];
    const auto length = [&](std::uint32_t link) { return loads_.length(link); };
    paths_[i] = search_.way_to(search_.run(c.from, length, [&](Device d) { return d == c.to; }));
    for (const std::uint32_t link : paths_[i]) loads_.change(link, 1);
  }

  const std::span<const Commodity> commodities_;
  const PathChoice choice_;
  LinkLoads loads_;
  std::vector<std::vector<std::uint32_t>> paths_;
  WaySearch search_;
};

}  // namespace

void add_path(const LinkGraph& graph, std::span<const std::uint32_t> path, std::uint32_t piece, Moves& m) {
  std::uint32_t before = no_index;
  for (std::size_t begin = 0, end = 0; begin < path.size(); begin = end) {
    do ++end;
    while (!graph.is_npu(graph.links[path[end - 1]].to));
    Move move{.piece = piece, .from = graph.links[path[begin]].from, .to = graph.links[path[end - 1]].to};
    move.way = {static_cast<std::uint32_t>(m.links.size()), static_cast<std::uint32_t>(end - begin)};
    m.links.insert(m.links.end(), path.begin() + static_cast<std::ptrdiff_t>(begin),
                   path.begin() + static_cast<std::ptrdiff_t>(end));
    move.parents.begin = static_cast<std::uint32_t>(m.parents.size());
    if (before != no_index) {
      m.parents.push_back(before);
      move.parents.count = 1;
    }
    before = static_cast<std::uint32_t>(m.moves.size());
    m.moves.push_back(move);
  }
}

std::vector<Commodity> commodities_of(const SynthesisProblem& problem) {
  std::vector<Commodity> out;
  const std::uint32_t n = problem.size();
  if (has_root(problem.collective)) {
    for (const Device d : problem.participants) {
      if (d == problem.root) continue;
      out.push_back(comes_from_root(problem.collective) ? Commodity{problem.root, d} : Commodity{d, problem.root});
    }
    return out;
  }
  for (std::uint32_t round = 1; round < n; ++round) {
    for (std::uint32_t i = 0; i < n; ++i)
      out.push_back({problem.participants[i], problem.participants[(i + round) % n]});
  }
  return out;
}

TreeMoves choose_paths(const SynthesisProblem& problem, std::span<const Commodity> commodities, double share,
                       std::span<const std::int64_t> lengths, const PathChoice& choice) {
  const auto paths = PathChooser(problem, commodities, share, lengths, choice).run();
  const std::vector<std::int64_t> sizes = piece_sizes(problem.shard_bytes, choice.pieces);
  TreeMoves out;
  for (std::size_t c = 0; c < commodities.size(); ++c) {
    for (std::uint32_t k = 0; k < choice.pieces; ++k) {
      const auto piece = static_cast<std::uint32_t>(out.moves.pieces.size());
      out.moves.pieces.push_back({.owner = commodities[c].from, .other = commodities[c].to, .bytes = sizes[k]});
      const std::size_t round = c / problem.size();
      out.rank.push_back(static_cast<double>(round));
      add_path(problem.graph, paths[c * choice.pieces + k], piece, out.moves);
    }
  }
  return out;
}

}  // namespace convert
