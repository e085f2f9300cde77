// SPDX-License-Identifier: MIT
#include "generate/noise.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "core/words.h"
#include "util/draw.h"

namespace convert {
namespace {

// Separate the draws from each other and from draws of random traces, which use a step number here.
constexpr std::uint64_t of_ranks = ~std::uint64_t{7}, of_layers = of_ranks - 1, of_nodes = of_ranks - 2;

// Returns the logarithm of a factor.
double logarithm(double sigma, Draw draw) { return sigma * draw.normal() - sigma * sigma / 2; }

double* member(Noise& noise, std::string_view key) {
  if (key == "layer") return &noise.layer;
  if (key == "rank") return &noise.rank;
  return key == "node" ? &noise.node : nullptr;
}

}  // namespace

std::uint64_t Noise::time(std::uint64_t ns, Rank rank_number, NodeId node_id,
                          std::optional<std::uint64_t> layer_number) const {
  if (ns == 0 || !given()) return ns;
  double sum = 0;
  if (layer > 0 && layer_number) sum += logarithm(layer, {seed, of_layers, *layer_number});
  if (rank > 0) sum += logarithm(rank, {seed, of_ranks, rank_number});
  if (node > 0) sum += logarithm(node, {seed, of_nodes, rank_number, node_id});
  return static_cast<std::uint64_t>(std::clamp(std::round(static_cast<double>(ns) * std::exp(sum)), 1.0, 0x1p53));
}

Noise parse_noise(std::span<const std::string> settings) {
  Noise noise;
  std::vector<std::string> given;
  for (const std::string& setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string key = setting.substr(0, equals);
    double* const to = member(noise, key);
    if (to == nullptr) {
      static const std::vector<std::string> keys = {"layer", "rank", "node"};
      throw usage_error("noise '" + setting + "'" +
                        did_you_mean(key, keys, ": expected layer, rank or node, such as layer=0.3"));
    }
    if (std::ranges::find(given, key) != given.end())
      throw usage_error("noise '" + setting + "': " + key + " is repeated");
    given.push_back(key);
    const auto value =
        equals < setting.size() ? parse_number(std::string_view(setting).substr(equals + 1)) : std::nullopt;
    if (!value || !(*value >= 0 && *value <= most_noise))
      throw usage_error("noise '" + setting + "': expected a number from 0 to 2, such as " + key + "=0.3");
    *to = *value;
  }
  return noise;
}

}  // namespace convert
