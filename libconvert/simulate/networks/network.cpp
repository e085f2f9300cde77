// SPDX-License-Identifier: MIT
#include "simulate/networks/network.h"

#include "core/diagnostic.h"
#include "simulate/explain/causes.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/ordered_causes.h"

namespace convert {

std::string_view name(NetworkModel model) {
  switch (model) {
    case NetworkModel::unaware: return "unaware";
    case NetworkModel::aware: return "aware";
    case NetworkModel::wires: return "links";
    case NetworkModel::fair: return "fair";
  }
  return "";
}

std::string_view name(Occupancy occupancy) { return occupancy == Occupancy::beta ? "beta" : "alpha-beta"; }

void check_network_options(const NetworkConfig& config, const NetworkOptions& options) {
  if (config.ideal) {
    const char* what = !options.failed.empty()                ? "that could fail"
                       : options.routing                      ? "to choose routes over"
                       : options.multipath                    ? "to choose among"
                       : options.occupancy != Occupancy::beta ? "that could be occupied"
                       : options.forwarding                   ? "to forward messages over"
                                                              : nullptr;
    if (what != nullptr) throw usage_error(std::string("an ideal network has no links ") + what);
    return;
  }
  if (options.model == NetworkModel::wires) return;
  const std::string model(name(options.model));
  if (options.model == NetworkModel::fair && config.machine == nullptr) {
    throw usage_error("the network model fair requires a machine, such as -n dgx-h100: '" + config.source +
                      "' states no times of collective calls");
  }
  if (!config.is_product() && config.machine == nullptr) {
    throw usage_error("the network model " + model + " requires a product of dimensions: '" + config.source +
                      "'; use the network model links");
  }
  const char* what = !options.failed.empty()                ? "failed links"
                     : options.routing                      ? "a choice of routing"
                     : options.multipath                    ? "a choice of equal-cost routes"
                     : options.occupancy != Occupancy::beta ? "occupancy alpha-beta"
                     : options.forwarding                   ? "a choice of forwarding"
                                                            : nullptr;
  if (what != nullptr) throw usage_error(std::string(what) + ": only with the network model links, not " + model);
}

bool can_send_to_self(const NetworkConfig& config, NetworkModel model) {
  return (model == NetworkModel::aware || model == NetworkModel::wires) && config.dims.size() == 1 &&
         has_switch(config.dims[0].topology);
}

template <class Observer>
std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options, EventQueue& queue,
                                      Observer& observer) {
  check_network_options(config, options);
  // A network without bandwidth limits has no congestion.
  if (options.model == NetworkModel::unaware || config.ideal)
    return make_unaware_network(config, options.watch_ports, observer.symmetry(), queue);
  if (options.model == NetworkModel::fair) return make_fair_network(config, queue, observer);
  if (options.model == NetworkModel::aware) return make_aware_network(config, options, queue, observer);
  return make_wires_network(config, options, queue, observer);
}
template std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                               NoObserver&);
template std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                               OrderObserver&);
template std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkOptions&, EventQueue&, Causes&);
template std::unique_ptr<Network> make_network(const NetworkConfig&, const NetworkOptions&, EventQueue&,
                                               OrderedCauses&);

std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkOptions& options,
                                      EventQueue& queue) {
  static NoObserver nobody(queue);  // has no state
  return make_network(config, options, queue, nobody);
}

Picoseconds truncate_delay(double ns) {
  constexpr double limit_ns = 9.2e15;
  if (!(ns < limit_ns)) throw Error("message delay exceeds 106 days; check bandwidth, latency and size");
  return static_cast<Picoseconds>(ns) * ps_per_ns;
}

}  // namespace convert
