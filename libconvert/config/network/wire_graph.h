// SPDX-License-Identifier: MIT
// Holds a network as a graph: devices (NPUs and switches) and directed wires between them.
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

// NPUs are 0 … npus-1, switches follow.
using Device = std::uint32_t;

struct GraphWire {
  Device from = 0;
  Device to = 0;
  double bytes_per_ns = 0;
  Picoseconds latency_ps = 0;
  std::uint32_t weight = 1;  // what it counts on a shortest way, from 1 to max_wire_weight

  bool operator==(const GraphWire&) const = default;
};
inline constexpr std::uint32_t max_wire_weight = 1 << 20;

// Returns the name of a device that has none of its own: "npu3", "switch0".
[[nodiscard]] std::string plain_device_name(Device device, std::uint32_t npus);

// No wire leads from a device to itself, and at most one from a device to another.
struct WireGraph {
  std::uint32_t npus = 0;
  std::uint32_t switches = 0;
  std::vector<std::string> switch_names{};  // empty: switch0, switch1, …
  std::vector<GraphWire> wires{};
  // The NPUs among which collectives are synthesised if nothing else says so, ascending; empty: all.
  std::vector<Device> participants{};

  [[nodiscard]] std::uint32_t devices() const { return npus + switches; }
  [[nodiscard]] std::string device_name(Device device) const;
  // Returns the device of "3", "npu3" or the name of a switch.
  [[nodiscard]] std::optional<Device> find_device(std::string_view text) const;
};

// The most wires of the graph of a product or tree, which only shortest routes and failed wires need.
inline constexpr std::uint64_t max_graph_wires = 1 << 24;

// Returns the graph of a network that is not ideal. The wires of products and trees are in the order of
// ProductWires and TreeWires. Throws Error(input) beyond max_graph_wires.
[[nodiscard]] WireGraph build_wire_graph(const NetworkConfig& config);

// Returns how many directed links a network has, those to and from its switches included, less the failed ones (see
// remove_failed_wires); 0 for an ideal network.
[[nodiscard]] std::uint64_t count_wires(const NetworkConfig& config, const std::vector<std::string>& failed = {});

// Returns NPUs (from, to) without a route, one of them NPU 0, if there are such.
[[nodiscard]] std::optional<std::pair<Device, Device>> find_unreachable(const WireGraph& graph);

// Remove wires: "3-4", "npu3-switch0" (both directions) or "3>4" (one). Throw Error(usage) if there is no such
// device or wire, and the second Error(input) if an NPU then cannot reach another.
void erase_failed_wires(WireGraph& graph, const std::vector<std::string>& failed);
void remove_failed_wires(WireGraph& graph, const std::vector<std::string>& failed);

// Returns the ends of the links that `specs` name, as above, or all those at a device: "switch3"; ascending. Throws
// Error(usage) about `what`, such as "--avoid", if there is no such device or link.
[[nodiscard]] std::vector<std::pair<Device, Device>> find_links(const WireGraph& graph,
                                                                const std::vector<std::string>& specs,
                                                                const std::string& what);

// Returns the id of a network, see core/algorithm/network_id.h.
[[nodiscard]] std::string network_id(const WireGraph& graph);

// Returns the nearest picosecond to a time ≥ 0. Throws Error from 106 days on.
[[nodiscard]] Picoseconds round_to_ps(double ns);

}  // namespace convert
