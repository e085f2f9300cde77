// SPDX-License-Identifier: MIT
#include "synthesis/trees/packing.h"

#include <algorithm>
#include <utility>

#include "synthesis/trees/growth.h"

namespace convert {

std::optional<TreePacking> pack_trees(const SynthesisProblem& problem, std::span<const Device> roots, double share,
                                      const TreeChoice& choice, std::span<const std::uint32_t> link_class) {
  LinkLoads loads(problem, share, choice, {}, link_class);
  TreeGrower grower(problem, loads, choice,
                    problem.turned ? TreeGrower::Bystanders::pass_once : TreeGrower::Bystanders::copy);
  TreePacking packing{.of_root = choice.trees};
  packing.trees.resize(roots.size() * choice.trees);
  // One tree of each root, then the next of each.
  for (std::uint32_t t = 0; t < choice.trees; ++t) {
    for (std::size_t r = 0; r < roots.size(); ++r) {
      TreePacking::Tree& tree = packing.trees[r * choice.trees + t];
      tree.root = roots[r];
      if (!grower.grow(tree)) return std::nullopt;
    }
  }
  packing.load = loads.worst();
  TreePacking best = packing;
  for (std::uint32_t pass = 0; pass < choice.passes && choice.by_time == 0 && loads.any_overloaded(); ++pass) {
    for (TreePacking::Tree& tree : packing.trees) {
      if (!loads.overloads(tree.links)) continue;
      loads.remove(tree.links);
      if (!grower.grow(tree)) return best;
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
  std::vector<std::uint32_t> move_to(problem.graph.devices, no_index);  // the move that brings the chunk
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
