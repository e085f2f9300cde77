// SPDX-License-Identifier: MIT
// Network for the synthesis of collectives: devices, and directed links with integer bandwidths.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/network/wire_graph.h"
#include "core/diagnostic.h"
#include "core/rows.h"
#include "core/units.h"

namespace convert {

// At most one link leads from a device to another, and none from a device to itself.
struct LinkGraph {
  struct Link {
    Device from = 0;
    Device to = 0;
    std::int64_t bandwidth = 0;  // in units, at least 1
    Picoseconds latency_ps = 0;
  };
  std::uint32_t npus = 0;     // the first devices; switches follow
  std::uint32_t devices = 0;  // NPUs and switches
  std::int64_t unit = 1;      // bytes per second of a bandwidth of 1
  std::vector<Link> links{};
  Rows out{}, in{};  // by device: indices of links

  [[nodiscard]] bool is_npu(Device d) const { return d < npus; }
};

// Returns the graph with bandwidths rounded to whole bytes per second, in units of their greatest common divisor.
// Links at devices with left_out[device] != 0 are omitted (empty: no links are omitted). Throws Error(input), with
// `source` as its file, if a link has less than half a byte per second, or a rate below 1 MB/s that is not a whole
// number, or if the sum is 2^62 or more.
[[nodiscard]] LinkGraph make_link_graph(const WireGraph& wires, const std::string& source,
                                        std::span<const std::uint8_t> left_out = {});

// Returns the error for a collective that takes at least most_schedule_ps.
[[nodiscard]] Error takes_too_long();

// Returns the graph with reversed links, which keep their indices.
[[nodiscard]] LinkGraph reversed(LinkGraph graph);

// Return the outgoing and the incoming bandwidth of a device.
[[nodiscard]] std::int64_t bandwidth_out(const LinkGraph& graph, Device d);
[[nodiscard]] std::int64_t bandwidth_in(const LinkGraph& graph, Device d);

// Returns the links from a device inside a set to a device outside of it; inside[device] != 0 for devices in the
// set.
[[nodiscard]] std::vector<std::uint32_t> links_out_of(const LinkGraph& graph, std::span<const std::uint8_t> inside);

// Returns, by device, whether it can be reached from `from` along the links (1) or not (0).
[[nodiscard]] std::vector<std::uint8_t> reached_from(const LinkGraph& graph, Device from);

// Returns, by device, the least sum of latencies from a device, or from the nearest of several; unreached_ps if
// there is no route.
inline constexpr Picoseconds unreached_ps = INT64_MAX;
[[nodiscard]] std::vector<Picoseconds> latencies_from(const LinkGraph& graph, std::span<const Device> from);
[[nodiscard]] inline std::vector<Picoseconds> latencies_from(const LinkGraph& graph, Device from) {
  return latencies_from(graph, {&from, 1});
}

// Finds links by their ends.
class LinkFinder {
 public:
  explicit LinkFinder(const LinkGraph& graph);
  // Returns the link from a device to another; no_index if there is no such link.
  [[nodiscard]] std::uint32_t find(Device from, Device to) const;

 private:
  const LinkGraph& graph_;
  std::vector<std::uint32_t> sorted_;  // by both ends
  std::vector<std::uint32_t> first_;   // of each device
};

}  // namespace convert
