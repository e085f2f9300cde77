// SPDX-License-Identifier: MIT
// Tries the orders in which links may serve the pieces of trees.
#pragma once

#include <cstdint>

#include "synthesis/list_schedule.h"
#include "synthesis/trees/packing.h"

namespace convert {

// An order of `serve_orders`, or a random one of pieces that stand alike, by its number.
using OrderNumber = std::uint32_t;
[[nodiscard]] constexpr OrderNumber number_of(ServeOrder order) { return static_cast<OrderNumber>(order); }

struct OrderChoice {
  std::uint32_t split = 1;  // into how many pieces a tree's part is split
  std::uint64_t seed = 0;
  std::uint32_t draws = 0;     // random orders
  bool only_that_one = false;  // takes the order as it is
};

// Returns the best schedule of all orders, the first of equals, and sets `order` to that.
[[nodiscard]] TimedMoves best_of_orders(const SynthesisProblem& problem, const TreeMoves& moves,
                                        const OrderChoice& choice, OrderNumber& order);

}  // namespace convert
