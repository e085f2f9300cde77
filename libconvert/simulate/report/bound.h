// SPDX-License-Identifier: MIT
// Lower bound (alpha-beta) of the time that any algorithm needs for a collective on a network.
//
// The bound is the larger of two values, with sizes S as counted by bus_bandwidth_factor() (core/collective.h) and
// n members:
// - bytes that an NPU must at least send or receive / the sum of its links in that direction + the lowest latency
//   between two NPUs. Sent, received: all_reduce S, S (and all members together 2(n-1)S); all_gather S/n, (n-1)S/n;
//   reduce_scatter (n-1)S/n, S/n; all_to_all (n-1)S/n both; broadcast, reduce S; gather, scatter (n-1)S/n at the
//   root, S/n elsewhere; barrier 0.
// - the lowest latency between two members far from each other + the bytes that one must at least receive from the
//   other (S, or S/n) / the sum of its links.
//
// In a product, only links of dimensions in which members differ count. Messages that share no links (unaware) can
// be faster than the bound; truncated delays (whole nanoseconds) can make it slightly faster.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/network/network.h"
#include "config/system.h"
#include "simulate/networks/network.h"

namespace convert {

// Properties of a group of NPUs in a network that a bound depends on. Bandwidths are in bytes per ns.
struct GroupReach {
  double root_in = 0;
  double root_out = 0;
  double others_in = 0;  // lowest of all members except the root
  double others_out = 0;
  double sum_in = 0;  // of all members
  double sum_out = 0;
  double near_latency_ns = 0;  // at most the latency between any two members
  double far_latency_ns = 0;
  double far_in = 0;  // of the member at the end of that route
};

// Relevant routes: between any two members, from the root, or to the root.
enum class Ways : std::uint8_t { all, from_root, to_root };
[[nodiscard]] Ways ways_of(Collective op);

class NetworkReach {
 public:
  // Throws Error as make_router does for failed links.
  NetworkReach(const NetworkConfig& network, const NetworkOptions& options);

  // Returns the reach of a group of two or more; `root` is an index in it. Returns nothing for an ideal network.
  [[nodiscard]] std::optional<GroupReach> of(std::span<const Rank> members, std::uint32_t root, Ways ways) const;

 private:
  struct Port {
    double in = 0;
    double out = 0;
    double latency_ns = 0;  // at most the latency to or from another NPU
  };
  [[nodiscard]] Port product_port(Rank npu, const std::vector<bool>& used) const;
  [[nodiscard]] std::vector<bool> used_dims(std::span<const Rank> members) const;
  // Returns the latencies from member `from` to each member, or, with `against`, in the reverse direction.
  [[nodiscard]] std::vector<double> latencies(std::span<const Rank> members, std::size_t from, bool against) const;
  [[nodiscard]] double product_latency(Rank from, Rank to) const;
  [[nodiscard]] double tree_latency(Rank from, Rank to) const;
  [[nodiscard]] std::vector<double> graph_latencies(Rank from, bool against) const;

  NetworkConfig network_;  // has a graph if the network is a list of links, or if links have failed
  bool is_graph_;
  std::vector<Port> ports_;  // of a graph, by NPU
};

// Returns the bound for a collective of `npus` members and S = size_bytes.
[[nodiscard]] Picoseconds lower_bound(Collective op, std::int64_t size_bytes, std::uint32_t npus,
                                      const GroupReach& reach);

}  // namespace convert
