// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/exchanges.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "synthesis/flows/paths.h"
#include "synthesis/list_schedule.h"
#include "synthesis/portfolio/candidates.h"
#include "util/parallel.h"

namespace convert {
namespace {

// Returns the shards that a link of bandwidth 1 carries in the time of the bound.
double share_of(const SynthesisProblem& problem, const Bounds& bounds) {
  constexpr double ps_per_s = 1e12;
  return static_cast<double>(std::max<Picoseconds>(1, bounds.lower)) / ps_per_s *
         static_cast<double>(problem.graph.unit) / static_cast<double>(problem.shard_bytes);
}

std::vector<PathChoice> path_choices(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                     std::size_t commodities) {
  std::vector<PathChoice> out;
  const auto is_worth = [&](std::uint32_t pieces) {  // many chunks are faster if they are still large
    constexpr std::uint32_t few = 16;
    constexpr std::int64_t large = std::int64_t{1} << 16U;
    return pieces <= few || problem.shard_bytes / pieces >= large;
  };
  const auto allows = [&](std::uint32_t pieces) {
    return pieces <= choice.most_pieces && pieces <= problem.shard_bytes && is_worth(pieces) &&
           commodities * pieces <= quick_moves / 4 && (!choice.even || problem.shard_bytes % pieces == 0);
  };
  if (wants(choice, SynthesisMethod::builders)) {
    out.push_back({.pieces = choice.pieces.value_or(1), .seed = choice.seed, .shortest = true});
    for (const std::uint32_t pieces : {4U, 16U, 64U, 256U}) {
      if (!choice.pieces && choice.effort != SynthesisEffort::fast && allows(pieces))
        out.push_back({.pieces = pieces, .seed = choice.seed, .shortest = true});
    }
  }
  if (!wants(choice, SynthesisMethod::paths)) return out;
  const bool best = choice.effort == SynthesisEffort::best;
  if (choice.pieces || choice.effort == SynthesisEffort::fast) {
    out.push_back({.pieces = choice.pieces.value_or(1), .passes = choice.pieces ? 6U : 2U, .seed = choice.seed});
    return out;
  }
  for (const std::uint32_t pieces : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 256U}) {
    const bool too_many = commodities * pieces > (best ? most_synthesized_moves : quick_moves / 8);
    if (pieces > choice.most_pieces || pieces > problem.shard_bytes || (pieces > 1 && too_many) ||
        !is_worth(pieces))
      continue;
    if (choice.even && problem.shard_bytes % pieces != 0) continue;
    for (std::uint64_t seed = 0; seed < (best ? 4U : 2U); ++seed)
      out.push_back({.pieces = pieces, .passes = best ? 20U : 6U, .seed = choice.seed + seed});
  }
  return out;
}

}  // namespace

BestCandidates make_exchanges(const SynthesisProblem& problem, const SynthesisChoice& choice,
                              const Bounds& bounds) {
  const std::vector<Commodity> commodities = commodities_of(problem);
  const std::vector<PathChoice> choices = path_choices(problem, choice, commodities.size());
  const Bound* const bound = bounds.find(BoundKind::bandwidth);
  std::span<const std::int64_t> lengths;
  if (bound != nullptr && bound->lengths) lengths = bound->lengths->lengths;
  const std::uint64_t draws = choice.effort == SynthesisEffort::fast   ? 1
                              : choice.effort == SynthesisEffort::best ? 16
                                                                       : 4;
  BestCandidates best;
  const auto make = [&](std::size_t i) {
    if (i > 0 && is_late(choice)) return std::optional<TimedMoves>();
    const TreeMoves moves = choose_paths(problem, commodities, share_of(problem, bounds), lengths, choices[i]);
    TimedMoves made = best_schedule(problem, moves.moves, moves.rank);
    // Rounds fill the links between groups of NPUs one after the other; random orders fill all these links.
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      const std::vector<double> rank = random_order(moves.rank.size(), 1, choices[i].seed + draw);
      TimedMoves other = list_schedule(problem, moves.moves, ServeOrder::pieces, rank);
      if (other.total < made.total) made = std::move(other);
    }
    made.method = (choices[i].shortest ? "shortest ways, " : "paths, ") + counted(choices[i].pieces, "piece");
    return std::optional(std::move(made));
  };
  for_each_ordered(choice.jobs, choices.size(), make, [&](std::size_t i, std::optional<TimedMoves>&& made) {
    best.take(choices[i].pieces, std::move(made));
  });
  return best;
}

}  // namespace convert
