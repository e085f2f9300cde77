// SPDX-License-Identifier: MIT
// Finds the network devices that sends name (attributes net, net_to) among the switches of a network.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/network/network.h"
#include "core/trace.h"
#include "simulate/program/op.h"

namespace convert {

class NetDevices {
 public:
  // `failed`: failed links; see remove_failed_wires().
  explicit NetDevices(const NetworkConfig& network, const std::vector<std::string>& failed = {});

  // Returns whether the network has no network device.
  [[nodiscard]] bool empty() const { return nets_.empty(); }

  enum class Problem : std::uint8_t {
    none,
    unknown,  // the host has no such device; the other named device is used
    failed,   // a link to or from a device has failed; no named device is used
    apart,    // no switch joins the two devices; the receiver's device is not used
  };
  struct Way {
    Device out = no_device;
    Device in = no_device;
    Problem problem = Problem::none;
  };
  // Returns the devices through which a send from `from` to `to` goes.
  [[nodiscard]] Way way(Rank from, Rank to, const SendWays::Way& named);

 private:
  using Lengths = std::vector<std::uint32_t>;  // route lengths from a device, by device
  [[nodiscard]] Device find(Rank rank, std::int64_t net) const;
  void join_fabric(const WireGraph& graph);
  [[nodiscard]] bool keeps_length(Device from, Device to);

  // By the name prefix of a host's switches ("host1.", or empty), and by number.
  std::map<std::pair<std::string, std::int64_t>, Device> nets_;
  std::vector<std::string> hosts_;  // by rank
  std::map<Device, Device> fabric_;  // network device → the lowest device to which it is connected outside of hosts
  WireGraph whole_;                  // with failed links: all links
  WireGraph left_;                   // remaining links
  std::map<Device, std::pair<Lengths, Lengths>> lengths_;  // by device: all, remaining links
};

}  // namespace convert
