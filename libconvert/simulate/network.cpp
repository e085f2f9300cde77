// SPDX-License-Identifier: MIT
#include "simulate/network.h"

#include "core/diagnostic.h"

namespace convert {

std::string_view name(NetworkModel model) { return model == NetworkModel::unaware ? "unaware" : "aware"; }

bool can_send_to_self(const NetworkConfig& config, NetworkModel model) {
  return model == NetworkModel::aware && config.dims.size() == 1 && config.dims[0].topology == Topology::switched;
}

std::unique_ptr<Network> make_network(const NetworkConfig& config, NetworkModel model, EventQueue& queue) {
  // Without a limit of bandwidth there is no congestion to be aware of.
  if (model == NetworkModel::unaware || config.ideal) return make_unaware_network(config, queue);
  return make_aware_network(config, queue);
}

Picoseconds truncate_delay(double ns) {
  constexpr double limit_ns = 9.2e15;
  if (!(ns < limit_ns)) throw Error("the delay of a message exceeds 106 days; check bandwidth and latency");
  return static_cast<Picoseconds>(ns) * ps_per_ns;
}

}  // namespace convert
