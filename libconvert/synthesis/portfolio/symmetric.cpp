// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/symmetric.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "synthesis/improve.h"
#include "synthesis/list_schedule.h"
#include "synthesis/symmetry/expansion.h"
#include "synthesis/symmetry/symmetry.h"
#include "synthesis/trees/packing.h"
#include "util/parallel.h"

namespace convert {
namespace {

class SymmetricMakers {
 public:
  SymmetricMakers(const SynthesisProblem& problem, const SynthesisChoice& choice, const PieceLimits& limits,
                  const NetworkSymmetry& symmetry, double share)
      : problem_(problem), choice_(choice), limits_(limits), symmetry_(symmetry), share_(share) {}

  std::map<std::uint32_t, TimedMoves> run() {
    look();
    std::ranges::stable_sort(looked_, {}, [](const Looked& l) { return l.made.total; });
    const std::size_t kept = fast() || is_large() ? 1 : 4;
    if (looked_.size() > kept) looked_.resize(kept);
    std::vector<std::pair<std::size_t, std::uint32_t>> tries;
    for (std::size_t i = 0; i < looked_.size(); ++i) {
      const std::uint32_t trees = looked_[i].packing.of_root;
      for (const std::uint32_t q : limits_.splits(trees)) {
        if (tries.empty() || !takes_long(trees * q)) tries.emplace_back(i, q);
      }
    }
    for_each_ordered(
        choice_.jobs, tries.size(),
        [&](std::size_t t) {
          Looked& l = looked_[tries[t].first];
          return t > 0 && is_late(choice_) ? std::nullopt : std::optional(best_times(l, tries[t].second));
        },
        [&](std::size_t t, std::optional<TimedMoves>&& made) {
          best_.take(looked_[tries[t].first].packing.of_root * tries[t].second, std::move(made));
        });
    return expanded_best();
  }

 private:
  struct Looked {
    TreePacking packing;
    std::string name;
    TimedMoves made;
  };

  [[nodiscard]] bool fast() const { return choice_.effort == SynthesisEffort::fast; }
  // Returns whether a candidate for all participants has very many moves.
  [[nodiscard]] bool is_large() const { return limits_.moves_of_pieces(1) > quick_moves / 4; }

  // Returns whether this number of chunks takes more than some milliseconds, which matters without route searches.
  [[nodiscard]] bool takes_long(std::uint32_t pieces) const {
    constexpr std::uint64_t few_moves = 4'000;
    return fast() && problem_.graph.devices == problem_.graph.npus && limits_.moves_of_pieces(pieces) > few_moves;
  }

  // Returns choices for light trees and short ones, and between them.
  [[nodiscard]] std::vector<TreeChoice> tree_choices(std::uint32_t trees) const {
    if (fast() || is_large()) return {{trees, 0, 0.3}, {trees, 1, 0.05}};
    std::vector<TreeChoice> out;
    for (const double lambda : {0.0, 0.1, 0.5, 1.0}) {
      for (const double delta : {0.05, 0.3}) out.push_back({.trees = trees, .lambda = lambda, .delta = delta});
    }
    return out;
  }

  // Evaluates trees, with more trees per root if fewer do not balance the load.
  void look() {
    constexpr double even = 1.001;
    for (const std::uint32_t trees : {1U, 2U, 4U, 8U}) {
      if (!limits_.fits(trees) || takes_long(trees)) continue;
      if (std::ranges::any_of(looked_, [&](const Looked& l) { return l.packing.load < even; })) return;
      const std::vector<TreeChoice> choices = tree_choices(trees);
      for_each_ordered(
          choice_.jobs, choices.size(),
          [&](std::size_t i) { return is_late(choice_) ? std::nullopt : first_look(choices[i]); },
          [&](std::size_t, std::optional<Looked>&& l) {
            if (l) looked_.push_back(std::move(*l));
          });
    }
  }

  [[nodiscard]] std::optional<Looked> first_look(const TreeChoice& choice) const {
    constexpr std::uint32_t usual = 16;
    const std::uint32_t q = limits_.first_split(choice.trees, usual);
    if (!limits_.fits_evenly(std::uint64_t{choice.trees} * q)) return std::nullopt;
    std::optional<TreePacking> packing =
        pack_trees(problem_, symmetry_.roots, share_, choice, symmetry_.link_class);
    if (!packing) return std::nullopt;
    Looked out{.packing = std::move(*packing),
               .name = "symmetric trees " + short_number(choice.lambda) + "/" + short_number(choice.delta),
               .made = {}};
    TreeMoves moves = moves_of(problem_, out.packing, q);
    out.made = list_schedule(problem_, by_class(symmetry_, std::move(moves.moves)), ServeOrder::pieces, moves.rank);
    return out;
  }

  // Returns the moves of the roots, with their own links.
  [[nodiscard]] TimedMoves best_times(const Looked& l, std::uint32_t q) const {
    TreeMoves moves = moves_of(problem_, l.packing, q);
    TimedMoves made = improved(problem_, best_schedule(problem_, by_class(symmetry_, moves.moves), moves.rank));
    made.moves = std::move(moves.moves);
    made.method = l.name + " p=" + std::to_string(l.packing.of_root) + " q=" + std::to_string(q);
    return made;
  }

  [[nodiscard]] std::map<std::uint32_t, TimedMoves> expanded_best() const {
    std::vector<std::pair<Picoseconds, std::uint32_t>> fastest;
    for (const auto& [pieces, made] : best_.all()) fastest.emplace_back(made.total, pieces);
    std::ranges::sort(fastest);
    const std::size_t most = is_large() ? 1 : 4;
    if (fastest.size() > most) fastest.resize(most);
    std::map<std::uint32_t, TimedMoves> out;
    for (const auto& [total, pieces] : fastest)
      out.emplace(pieces, expanded(problem_, symmetry_, best_.all().at(pieces)));
    return out;
  }

  const SynthesisProblem& problem_;
  const SynthesisChoice& choice_;
  const PieceLimits& limits_;
  const NetworkSymmetry& symmetry_;
  const double share_;
  std::vector<Looked> looked_;
  BestCandidates best_;  // moves of the roots, by the number of chunks
};

}  // namespace

std::map<std::uint32_t, TimedMoves> make_symmetric(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                                   const PieceLimits& limits, double share) {
  if (has_root(problem.collective)) return {};
  const std::optional<NetworkSymmetry> symmetry = find_symmetry(problem);
  if (!symmetry) return {};
  return SymmetricMakers(problem, choice, limits, *symmetry, share).run();
}

}  // namespace convert
