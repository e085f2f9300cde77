// SPDX-License-Identifier: MIT
#include "synthesis/portfolio/orders.h"

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "synthesis/portfolio/candidates.h"

namespace convert {
namespace {

constexpr auto fixed_orders = static_cast<OrderNumber>(std::size(serve_orders));

TimedMoves in_order(const SynthesisProblem& problem, const TreeMoves& moves, const OrderChoice& choice,
                    OrderNumber order) {
  if (order < fixed_orders) return list_schedule(problem, moves.moves, serve_orders[order], moves.rank);
  std::vector<double> rank =
      random_order(moves.rank.size(), 1.0 / choice.split, choice.seed + order - fixed_orders);
  for (std::size_t i = 0; i < rank.size(); ++i) rank[i] += moves.rank[i];
  return list_schedule(problem, moves.moves, ServeOrder::pieces, rank);
}

}  // namespace

TimedMoves best_of_orders(const SynthesisProblem& problem, const TreeMoves& moves, const OrderChoice& choice,
                          OrderNumber& order) {
  if (choice.only_that_one) return in_order(problem, moves, choice, order);
  std::optional<TimedMoves> best;
  for (OrderNumber k = 0; k < fixed_orders + choice.draws; ++k) {
    TimedMoves made = in_order(problem, moves, choice, k);
    if (best && made.total >= best->total) continue;
    best = std::move(made);
    order = k;
  }
  return std::move(*best);
}

}  // namespace convert
