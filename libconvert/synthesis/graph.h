// SPDX-License-Identifier: MIT
// Holds a network as collectives are synthesized on it: devices, directed links whose bandwidths are integers.
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

// At most one link leads from a device to another, and none to itself.
struct LinkGraph {
  struct Link {
    Device from = 0;
    Device to = 0;
    std::int64_t bandwidth = 0;  // in units, at least 1
    Picoseconds latency_ps = 0;
  };
  std::uint32_t npus = 0;     // these devices come first, switches follow
  std::uint32_t devices = 0;  // both
  std::int64_t unit = 1;      // bytes per second that a bandwidth of 1 stands for
  std::vector<Link> links{};
  Rows out{}, in{};  // by device: indices of links

  [[nodiscard]] bool is_npu(Device d) const { return d < npus; }
};

// Returns the graph with bandwidths rounded to whole bytes per second, in units of their greatest common divisor.
// Without the links at devices of which `left_out` is not 0 (by device; empty: none is). Throws Error(input), with
// `source` as its file, if a link has less than half a byte per second, or a rate below 1 MB/s that is not whole,
// or all together have 2^62 or more.
[[nodiscard]] LinkGraph make_link_graph(const WireGraph& wires, const std::string& source,
                                        std::span<const std::uint8_t> left_out = {});

// Returns the error about a collective that takes most_schedule_ps, or more.
[[nodiscard]] Error takes_too_long();

// Returns the graph whose links lead the other way and have the same indices.
[[nodiscard]] LinkGraph reversed(LinkGraph graph);

// Return the bandwidth of the links out of, and into, a device.
[[nodiscard]] std::int64_t bandwidth_out(const LinkGraph& graph, Device d);
[[nodiscard]] std::int64_t bandwidth_in(const LinkGraph& graph, Device d);

// Returns the links that lead from a device of a set to one that is not in it; `inside` is not 0 for those in it.
[[nodiscard]] std::vector<std::uint32_t> links_out_of(const LinkGraph& graph, std::span<const std::uint8_t> inside);

// Returns whether each device can be reached from a device along the links (1) or not (0).
[[nodiscard]] std::vector<std::uint8_t> reached_from(const LinkGraph& graph, Device from);

// Returns the least sum of latencies from a device, or from one of several, to each; unreached_ps where no way
// leads.
inline constexpr Picoseconds unreached_ps = INT64_MAX;
[[nodiscard]] std::vector<Picoseconds> latencies_from(const LinkGraph& graph, std::span<const Device> from);
[[nodiscard]] inline std::vector<Picoseconds> latencies_from(const LinkGraph& graph, Device from) {
  return latencies_from(graph, {&from, 1});
}

// Returns links by their ends.
class LinkFinder {
 public:
  explicit LinkFinder(const LinkGraph& graph);
  // Returns the link from a device to another; no_index if none leads there.
  [[nodiscard]] std::uint32_t find(Device from, Device to) const;

 private:
  const LinkGraph& graph_;
  std::vector<std::uint32_t> sorted_;  // by both ends
  std::vector<std::uint32_t> first_;   // of each device
};

}  // namespace convert
