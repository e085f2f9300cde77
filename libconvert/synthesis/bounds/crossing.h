// SPDX-License-Identifier: MIT
// Earliest times at which bytes or shards can have crossed links with latencies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthesis/fraction.h"
#include "synthesis/graph.h"

namespace convert {

// A link, and the amount that it carries per picosecond.
struct LinkRate {
  std::int64_t rate = 0;
  Picoseconds latency_ps = 0;
};

// Returns the least T, rounded down, with sum of rate × max(T - latency, 0) ≥ amount / scale. Throws Error(input)
// if numbers are too large.
[[nodiscard]] Picoseconds earliest(std::vector<LinkRate> lanes, WideUnsigned amount, std::int64_t scale);

// Return the picoseconds, rounded down, in which `bytes` cross a bandwidth in units of the graph; or links, or
// lanes, which each have a latency before the first byte arrives.
[[nodiscard]] Picoseconds bandwidth_time(const LinkGraph& graph, std::int64_t bandwidth, WideUnsigned bytes);
[[nodiscard]] Picoseconds crossing_time(const LinkGraph& graph, std::span<const std::uint32_t> links,
                                        WideUnsigned bytes);
[[nodiscard]] Picoseconds lanes_time(const LinkGraph& graph, std::vector<LinkRate> lanes, WideUnsigned bytes);

// Returns the least time, rounded down, after which `messages` messages of `bytes` each can have arrived over the
// links. Each link is busy from the start of a message until it has arrived.
[[nodiscard]] Picoseconds slot_time(const LinkGraph& graph, std::span<const std::uint32_t> links,
                                    std::int64_t messages, std::int64_t bytes);

}  // namespace convert
