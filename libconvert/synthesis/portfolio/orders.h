// SPDX-License-Identifier: MIT
// Tries several orders in which links may serve the chunks of trees.
#pragma once

#include <cstdint>

#include "synthesis/list_schedule.h"
#include "synthesis/trees/packing.h"

namespace convert {

// An order of `serve_orders`, or the number of a random order of equivalent chunks.
using OrderNumber = std::uint32_t;
[[nodiscard]] constexpr OrderNumber number_of(ServeOrder order) { return static_cast<OrderNumber>(order); }

struct OrderChoice {
  std::uint32_t split = 1;  // number of chunks into which a tree's shard is split
  std::uint64_t seed = 0;
  std::uint32_t draws = 0;     // number of random orders
  bool only_that_one = false;  // uses `order` as given
};

// Returns the best schedule of all orders, the first among equals, and sets `order` to its order.
[[nodiscard]] TimedMoves best_of_orders(const SynthesisProblem& problem, const TreeMoves& moves,
                                        const OrderChoice& choice, OrderNumber& order);

}  // namespace convert
