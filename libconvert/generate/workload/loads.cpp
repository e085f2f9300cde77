// SPDX-License-Identifier: MIT
#include "generate/workload/loads.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace convert {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

// Returns the weight of each expert: Zipf's law, shuffled.
std::vector<double> zipf_weights(const Workload& w, std::int64_t layer, std::int64_t micro_batch) {
  std::vector<double> weights;
  for (std::int64_t k = 1; k <= w.model.experts; ++k)
    weights.push_back(std::pow(static_cast<double>(k), -w.step.zipf));
  std::uint64_t state = mix_bits(
      mix_bits(mix_bits(static_cast<std::uint64_t>(w.step.zipf_seed)) + static_cast<std::uint64_t>(layer)) +
      static_cast<std::uint64_t>(micro_batch));
  for (std::size_t left = weights.size(); left > 1; --left) {
    state = mix_bits(state);
    std::swap(weights[left - 1], weights[state % left]);
  }
  return weights;
}

// Returns shares of the whole by weight, each at most `most`.
std::vector<double> capped_shares(const std::vector<double>& weights, double whole, double most) {
  std::vector<double> shares(weights.size(), -1);  // -1: not assigned yet
  for (bool found = true; found;) {
    found = false;
    double weight = 0, left = whole;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (shares[i] < 0) weight += weights[i];
      if (shares[i] >= 0) left -= shares[i];
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (shares[i] >= 0 || left * (weights[i] / weight) < most) continue;
      shares[i] = most;
      found = true;
    }
    if (found) continue;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (shares[i] < 0) shares[i] = left * (weights[i] / weight);
    }
  }
  return shares;
}

}  // namespace

std::vector<std::int64_t> expert_loads(const Workload& workload, std::int64_t layer, std::int64_t micro_batch,
                                       std::int64_t tokens) {
  const std::int64_t whole = tokens * workload.model.experts_per_token;
  const std::vector<double> shares = capped_shares(zipf_weights(workload, layer, micro_batch),
                                                   static_cast<double>(whole), static_cast<double>(tokens));
  std::vector<std::int64_t> loads;
  for (const double share : shares) loads.push_back(static_cast<std::int64_t>(share));
  std::int64_t left = whole - std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return shares[i] - std::floor(shares[i]); });
  while (left > 0) {
    for (const std::size_t i : order) {
      if (left == 0) break;
      if (loads[i] >= tokens) continue;
      ++loads[i];
      --left;
    }
  }
  return loads;
}

}  // namespace convert
