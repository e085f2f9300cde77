// SPDX-License-Identifier: MIT
// Finds the least time (alpha-beta) that any algorithm needs for a collective on a network.
//
// It is the larger of two, with S as bus_bandwidth_factor() (core/collective.h) counts sizes and n members:
//   bytes that an NPU must at least send or receive / the sum of its wires in that direction + the lowest latency
//     between two NPUs. Sent, received: all_reduce S, S (and all members together 2(n-1)S); all_gather S/n,
//     (n-1)S/n; reduce_scatter (n-1)S/n, S/n; all_to_all (n-1)S/n both; broadcast, reduce S; gather, scatter
//     (n-1)S/n at the root, S/n elsewhere; barrier 0.
//   the lowest latency between two members far from each other + what the one must at least hear from the other
//     (S, or S/n) / the sum of its wires.
// In a product only wires of dimensions in which members differ count. Messages that share no wires (unaware) can
// be faster, and delays that are cut to whole nanoseconds a little.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/network/network.h"
#include "config/system.h"
#include "simulate/networks/network.h"

namespace convert {

// Holds what a bound needs to know of a group of NPUs in a network. Bandwidths are in bytes per ns.
struct GroupReach {
  double root_in = 0;
  double root_out = 0;
  double others_in = 0;  // the lowest of a member that is not the root
  double others_out = 0;
  double sum_in = 0;  // of all members
  double sum_out = 0;
  double near_latency_ns = 0;  // not above that between any two members
  double far_latency_ns = 0;
  double far_in = 0;  // of the member at the end of that way
};

// Says which ways matter: those between any two members, or those from or to the root.
enum class Ways : std::uint8_t { all, from_root, to_root };
[[nodiscard]] Ways ways_of(Collective op);

class NetworkReach {
 public:
  // Throws Error as make_router does for wires that failed.
  NetworkReach(const NetworkConfig& network, const NetworkOptions& options);

  // Returns the reach of a group of two or more; `root` is a place in it. Returns nothing for an ideal network.
  [[nodiscard]] std::optional<GroupReach> of(std::span<const Rank> members, std::uint32_t root, Ways ways) const;

 private:
  struct Port {
    double in = 0;
    double out = 0;
    double latency_ns = 0;  // not above that to or from another NPU
  };
  [[nodiscard]] Port product_port(Rank npu, const std::vector<bool>& used) const;
  [[nodiscard]] std::vector<bool> used_dims(std::span<const Rank> members) const;
  // Returns the latencies from member `from` to each member, or, with `against`, the other way.
  [[nodiscard]] std::vector<double> latencies(std::span<const Rank> members, std::size_t from, bool against) const;
  [[nodiscard]] double product_latency(Rank from, Rank to) const;
  [[nodiscard]] double tree_latency(Rank from, Rank to) const;
  [[nodiscard]] std::vector<double> graph_latencies(Rank from, bool against) const;

  NetworkConfig network_;  // its graph is there if the network is a list of wires, or if wires have failed
  bool is_graph_;
  std::vector<Port> ports_;  // of a graph, by NPU
};

// Returns the bound for a collective of `npus` members and S = size_bytes.
[[nodiscard]] Picoseconds lower_bound(Collective op, std::int64_t size_bytes, std::uint32_t npus,
                                      const GroupReach& reach);

}  // namespace convert
