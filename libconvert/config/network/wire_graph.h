// SPDX-License-Identifier: MIT
// Network graph: devices (NPUs and switches) and directed links between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"

namespace convert {

struct NetworkConfig;

// NPUs are numbered 0 … npus-1, followed by the switches.
using Device = std::uint32_t;

struct GraphWire {
  Device from = 0;
  Device to = 0;
  double bytes_per_ns = 0;
  Picoseconds latency_ps = 0;
  std::uint32_t weight = 1;  // cost in shortest routes, from 1 to max_wire_weight

  bool operator==(const GraphWire&) const = default;
};
inline constexpr std::uint32_t max_wire_weight = 1 << 20;

// Returns the default name of a device: "npu3", "switch0".
[[nodiscard]] std::string plain_device_name(Device device, std::uint32_t npus);

// No link leads from a device to itself, and at most one leads from a device to another.
struct WireGraph {
  std::uint32_t npus = 0;
  std::uint32_t switches = 0;
  std::vector<std::string> switch_names{};  // empty: switch0, switch1, …
  std::vector<GraphWire> wires{};
  // NPUs for which collectives are synthesised by default, ascending; empty: all.
  std::vector<Device> participants{};

  [[nodiscard]] std::uint32_t devices() const { return npus + switches; }
  [[nodiscard]] std::string device_name(Device device) const;
  // Returns the device named "3", "npu3" or with the name of a switch.
  [[nodiscard]] std::optional<Device> find_device(std::string_view text) const;
};

// Maximum number of links in the graph of a product or tree; only shortest routes and failed links need this
// graph.
inline constexpr std::uint64_t max_graph_wires = 1 << 24;

// Returns the graph of a network that is not ideal. The links of products and trees are in the order of
// ProductWires and TreeWires. Throws Error(input) if there are more than max_graph_wires links.
[[nodiscard]] WireGraph build_wire_graph(const NetworkConfig& config);

// Returns the number of directed links of a network, including links of switches and excluding `failed` (see
// remove_failed_wires); 0 for an ideal network.
[[nodiscard]] std::uint64_t count_wires(const NetworkConfig& config, const std::vector<std::string>& failed = {});

// Returns a pair of NPUs (from, to) without a route, including NPU 0; nothing if all NPUs are connected.
[[nodiscard]] std::optional<std::pair<Device, Device>> find_unreachable(const WireGraph& graph);

// Remove links: "3-4", "npu3-switch0" (both directions) or "3>4" (one direction). Throw Error(usage) if there is
// no such device or link. remove_failed_wires() also throws Error(input) if an NPU can no longer reach another.
void erase_failed_wires(WireGraph& graph, const std::vector<std::string>& failed);
void remove_failed_wires(WireGraph& graph, const std::vector<std::string>& failed);

// Returns the ends, ascending, of the links that `specs` name as above; "switch3" names all links of a device.
// Throws Error(usage) about `what`, such as "--avoid", if there is no such device or link.
[[nodiscard]] std::vector<std::pair<Device, Device>> find_links(const WireGraph& graph,
                                                                const std::vector<std::string>& specs,
                                                                const std::string& what);

// Returns the id of a network; see core/algorithm/network_id.h.
[[nodiscard]] std::string network_id(const WireGraph& graph);

// Rounds a time ≥ 0 to the nearest picosecond. Throws Error for times of 106 days or more.
[[nodiscard]] Picoseconds round_to_ps(double ns);

}  // namespace convert
