// SPDX-License-Identifier: MIT
#include "simulate/system/default_system.h"

#include <bit>

namespace convert {
namespace {

NativeAlgorithm fitting(const NetworkDim& dim, CollectiveOp op) {
  const bool connects_all = with(dim.topology, [](auto t) { return t.port_is_coordinate; });
  if (op == CollectiveOp::all_to_all || connects_all) return NativeAlgorithm::direct;
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
  for (std::size_t op = 0; op < collective_ops; ++op) {
    auto& list = config.collectives.at(op).per_dim;
    for (const NetworkDim& dim : network.dims)
      list.push_back({.algorithm = fitting(dim, CollectiveOp{static_cast<std::uint8_t>(op)})});
    if (list.empty())
      list.push_back({.algorithm = op == static_cast<std::size_t>(CollectiveOp::all_to_all)
                                       ? NativeAlgorithm::direct
                                       : NativeAlgorithm::ring});
  }
  return config;
}

}  // namespace convert
