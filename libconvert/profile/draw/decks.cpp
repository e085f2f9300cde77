// SPDX-License-Identifier: MIT
#include "profile/draw/decks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace convert {

void Deck::deal(const Dealing& dealing, std::uint64_t pool, std::uint64_t size) {
  constexpr std::uint64_t most_parts = 65'536;
  const std::uint64_t parts = std::clamp<std::uint64_t>(size / dealing.ranks, 1, most_parts);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t begin = size * part / parts, width = size * (part + 1) / parts - begin;
    // An affine permutation of the stratum, equal on all ranks, gives each rank another value.
    Draw common(dealing.seed, pool, round_, part);
    std::uint64_t step = 1 + common.below(width);
    while (std::gcd(step, width) != 1) ++step;
    const std::uint64_t first = common.below(width);
    hand_.push_back(begin + (dealing.rank % width * step + first) % width);
  }
  Draw own(dealing.seed + 1, pool, round_, dealing.rank);
  for (std::size_t i = hand_.size(); i > 1; --i) std::swap(hand_[i - 1], hand_[own.below(i)]);
  ++round_;
}

std::uint64_t Deck::next(const Dealing& dealing, std::uint64_t pool, std::uint64_t size) {
  if (hand_.empty()) deal(dealing, pool, size);
  const std::uint64_t number = hand_.back();
  hand_.pop_back();
  return number;
}

std::uint64_t pool_size(const CostPool& pool) {
  std::uint64_t n = 0;
  for (const CostCluster& c : pool) n += c.count;
  return n;
}

// The log-logistic distribution of shape s and scale 1 has the quantiles (u / (1 - u))^s and the mean pi s / sin(pi
// s). s is chosen so that the logarithm has the same deviation as a lognormal distribution of this spread.
NodeCost cost_at(const CostPool& pool, std::uint64_t number) {
  auto cluster = pool.begin();
  while (number >= cluster->count) {
    number -= cluster->count;
    ++cluster;
  }
  NodeCost cost = cluster->mean;
  if (cluster->spread > 0 && cluster->count > 1) {
    constexpr double most_shape = 0.5;
    const double spread = cluster->spread;
    const double shape =
        std::min(most_shape, std::sqrt(std::log1p(spread * spread)) * std::numbers::sqrt3 / std::numbers::pi);
    const double u = (static_cast<double>(number) + 0.5) / cluster->count;
    const double mean = std::numbers::pi * shape / std::sin(std::numbers::pi * shape);
    const double factor = std::pow(u / (1 - u), shape) / mean;
    constexpr double most = 9e18;  // below 2^63
    cost.duration_ns =
        static_cast<std::uint64_t>(std::llround(std::min(most, static_cast<double>(cost.duration_ns) * factor)));
  }
  return cost;
}

}  // namespace convert
