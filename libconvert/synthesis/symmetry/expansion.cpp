// SPDX-License-Identifier: MIT
#include "synthesis/symmetry/expansion.h"

#include <utility>
#include <vector>

namespace convert {
namespace {

class Expander {
 public:
  Expander(const SynthesisProblem& problem, const NetworkSymmetry& symmetry, const TimedMoves& base)
      : problem_(problem), symmetry_(symmetry), links_(problem.graph), base_(base), of_root_(problem.graph.npus) {
    const std::vector<Piece>& pieces = base.moves.pieces;
    for (std::uint32_t p = 0; p < pieces.size(); ++p) extend(of_root_[pieces[p].owner].pieces, p);
    for (std::uint32_t i = 0; i < base.moves.moves.size(); ++i)
      extend(of_root_[pieces[base.moves.moves[i].piece].owner].moves, i);
  }

  TimedMoves run() {
    // Each participant is the image of one root by one element.
    std::vector<std::pair<Device, const std::vector<Device>*>> from(problem_.graph.npus);
    for (const Device root : symmetry_.roots) {
      for (const std::vector<Device>& image : symmetry_.images) from[image[root]] = {root, &image};
    }
    const std::size_t times = symmetry_.order();
    Moves& m = out_.moves;
    m.pieces.reserve(times * base_.moves.pieces.size());
    m.moves.reserve(times * base_.moves.moves.size());
    m.links.reserve(times * base_.moves.links.size());
    m.parents.reserve(times * base_.moves.parents.size());
    out_.starts.reserve(times * base_.starts.size());
    for (const Device d : problem_.participants) add(of_root_[from[d].first], *from[d].second);
    out_.total = base_.total;
    out_.method = base_.method;
    return std::move(out_);
  }

 private:
  // The data of a root is consecutive.
  struct OfRoot {
    Range pieces{};
    Range moves{};
  };
  static void extend(Range& range, std::uint32_t next) {
    if (range.count++ == 0) range.begin = next;
  }

  void add(const OfRoot& root, const std::vector<Device>& image) {
    Moves& m = out_.moves;
    const auto first_piece = static_cast<std::uint32_t>(m.pieces.size());
    const auto first_move = static_cast<std::uint32_t>(m.moves.size());
    for (std::uint32_t p = root.pieces.begin; p < root.pieces.begin + root.pieces.count; ++p) {
      m.pieces.push_back(base_.moves.pieces[p]);
      m.pieces.back().owner = image[m.pieces.back().owner];
    }
    for (std::uint32_t i = root.moves.begin; i < root.moves.begin + root.moves.count; ++i) {
      const Move& own = base_.moves.moves[i];
      Move move = own;
      move.piece = own.piece - root.pieces.begin + first_piece;
      move.from = image[own.from];
      move.to = image[own.to];
      move.way.begin = static_cast<std::uint32_t>(m.links.size());
      for (std::uint32_t h = own.way.begin; h < own.way.begin + own.way.count; ++h) {
        const LinkGraph::Link& link = problem_.graph.links[base_.moves.links[h]];
        m.links.push_back(links_.find(image[link.from], image[link.to]));
        out_.starts.push_back(base_.starts[h]);
      }
      move.parents.begin = static_cast<std::uint32_t>(m.parents.size());
      for (const std::uint32_t p : base_.moves.parents_of(own))
        m.parents.push_back(p - root.moves.begin + first_move);
      m.moves.push_back(move);
    }
  }

  const SynthesisProblem& problem_;
  const NetworkSymmetry& symmetry_;
  const LinkFinder links_;
  const TimedMoves& base_;
  std::vector<OfRoot> of_root_;  // by NPU
  TimedMoves out_;
};

}  // namespace

Moves by_class(const NetworkSymmetry& symmetry, Moves moves) {
  for (std::uint32_t& l : moves.links) l = symmetry.link_class[l];
  return moves;
}

TimedMoves expanded(const SynthesisProblem& problem, const NetworkSymmetry& symmetry, const TimedMoves& base) {
  return Expander(problem, symmetry, base).run();
}

}  // namespace convert
