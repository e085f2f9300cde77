// SPDX-License-Identifier: MIT
#include "synthesis/trees/pairs.h"

#include <utility>

#include "synthesis/mirror.h"
#include "synthesis/trees/growth.h"

namespace convert {
namespace {

// Writes the moves of chunks along pairs of trees.
class PairMoves {
 public:
  explicit PairMoves(const SynthesisProblem& problem) : into_(problem.graph.devices), by_(problem.graph.devices) {}

  void add(const PairPacking::Pair& pair, std::int64_t bytes, double rank) {
    Moves& m = out_.moves;
    const auto piece = static_cast<std::uint32_t>(m.pieces.size());
    m.pieces.push_back({.owner = pair.out.root, .bytes = bytes});
    out_.rank.push_back(rank);
    for (auto& moves : into_) moves.clear();
    // From the leaves to the root: a message of an NPU waits for all messages to it.
    for (std::size_t a = pair.in.arcs.size(); a-- > 0;) {
      const TreeArc& arc = pair.in.arcs[a];
      const std::span way(pair.in.links.data() + arc.way.begin, arc.way.count);
      const std::uint32_t move = add_move(piece, arc.to, arc.from, into_[arc.to]);
      m.moves.back().op = Schedule::Op::reduce;
      for (std::size_t h = way.size(); h-- > 0;) m.links.push_back(way[h]);
      m.moves.back().way.count = arc.way.count;
      into_[arc.from].push_back(move);
    }
    by_[pair.out.root] = into_[pair.out.root];
    for (const TreeArc& arc : pair.out.arcs) {
      const std::uint32_t move = add_move(piece, arc.from, arc.to, by_[arc.from]);
      m.links.insert(m.links.end(), pair.out.links.begin() + arc.way.begin,
                     pair.out.links.begin() + arc.way.begin + arc.way.count);
      m.moves.back().way.count = arc.way.count;
      by_[arc.to].assign(1, move);
    }
  }

  TreeMoves take() { return std::move(out_); }

 private:
  std::uint32_t add_move(std::uint32_t piece, Device from, Device to, const std::vector<std::uint32_t>& parents) {
    Moves& m = out_.moves;
    Move move{.piece = piece, .from = from, .to = to};
    move.way.begin = static_cast<std::uint32_t>(m.links.size());
    move.parents = {static_cast<std::uint32_t>(m.parents.size()), static_cast<std::uint32_t>(parents.size())};
    m.parents.insert(m.parents.end(), parents.begin(), parents.end());
    m.moves.push_back(move);
    return static_cast<std::uint32_t>(m.moves.size() - 1);
  }

  TreeMoves out_;
  std::vector<std::vector<std::uint32_t>> into_;  // by NPU: moves that bring contributions to the sum
  std::vector<std::vector<std::uint32_t>> by_;    // by NPU: moves that bring the sum
};

}  // namespace

std::optional<PairPacking> pack_pairs(const SynthesisProblem& problem, std::span<const Device> roots, double share,
                                      TreeChoice choice) {
  choice.trees = static_cast<std::uint32_t>(roots.size());
  SynthesisProblem turned = problem;
  turned.graph = reversed(problem.graph);
  LinkLoads loads(problem, share, choice);
  TreeGrower inward(turned, loads, choice, TreeGrower::Bystanders::pass_once);
  TreeGrower outward(problem, loads, choice, TreeGrower::Bystanders::copy);
  PairPacking packing;
  packing.pairs.resize(roots.size());
  for (std::size_t k = 0; k < roots.size(); ++k) {
    packing.pairs[k].in.root = packing.pairs[k].out.root = roots[k];
    if (!inward.grow(packing.pairs[k].in) || !outward.grow(packing.pairs[k].out)) return std::nullopt;
  }
  packing.load = loads.worst();
  PairPacking best = packing;
  for (std::uint32_t pass = 0; pass < choice.passes && loads.any_overloaded(); ++pass) {
    for (PairPacking::Pair& pair : packing.pairs) {
      const auto regrown = [&](TreePacking::Tree& tree, TreeGrower& grower) {
        if (!loads.overloads(tree.links)) return true;
        loads.remove(tree.links);
        return grower.grow(tree);
      };
      if (!regrown(pair.in, inward) || !regrown(pair.out, outward)) return best;
    }
    packing.load = loads.worst();
    if (packing.load < best.load) best = packing;
  }
  return best;
}

TreeMoves moves_of(const SynthesisProblem& problem, const PairPacking& packing, std::uint32_t pieces) {
  PairMoves moves(problem);
  const std::vector<std::int64_t> sizes =
      piece_sizes(problem.bytes, static_cast<std::int64_t>(packing.pairs.size()) * pieces);
  std::size_t next = 0;
  for (const PairPacking::Pair& pair : packing.pairs) {
    for (std::uint32_t j = 0; j < pieces; ++j) moves.add(pair, sizes[next++], (j + 0.5) / pieces);
  }
  return moves.take();
}

}  // namespace convert
