// SPDX-License-Identifier: MIT
#include "simulate/system/default_system.h"

#include <bit>

namespace convert {
namespace {

NativeAlgorithm fitting(const NetworkDim& dim, Collective op) {
  const bool connects_all = with(dim.topology, [](auto t) { return t.port_is_coordinate; });
  if (op == Collective::all_to_all || connects_all) return NativeAlgorithm::direct;
  const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(dim.npus));
  if (has_switch(dim.topology) && power_of_two) return NativeAlgorithm::halving_doubling;
  return NativeAlgorithm::ring;
}

}  // namespace

SystemConfig default_system(const NetworkConfig& network) {
  SystemConfig config{.source = "default"};
  config.optimization = CollectiveOptimization::local_bw_aware;
  config.endpoint_delay_ns = 0;
  config.dataset_splits = 4;
  config.active_chunks_per_dimension = 4;
  for (const Collective op : listed_collectives) {
    auto& list = config.collectives.at(listed_place(op)).per_dim;
    for (const NetworkDim& dim : network.dims) list.push_back({.algorithm = fitting(dim, op)});
    if (list.empty())
      list.push_back({.algorithm = op == Collective::all_to_all ? NativeAlgorithm::direct : NativeAlgorithm::ring});
  }
  return config;
}

}  // namespace convert
