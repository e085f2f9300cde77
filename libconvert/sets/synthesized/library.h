// SPDX-License-Identifier: MIT
// Algorithms for collectives of groups of a network's NPUs; equivalent collectives share one algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/network/network.h"
#include "core/algorithm/algorithm.h"
#include "core/collective.h"
#include "sets/synthesized/group_network.h"
#include "sets/synthesized/rule.h"
#include "synthesis/portfolio.h"
#include "synthesis/problem.h"

namespace convert {

// Returns the fastest built algorithm that takes less than `limit` on a network with all NPUs participating, and
// that `takes` accepts; nothing if no algorithm qualifies.
using FasterBuilder = std::function<std::optional<Algorithm>(
    const NetworkConfig& network, const SynthesisRequest& request, const SynthesisProblem& problem,
    const SynthesisChoice& choice, Picoseconds limit, const std::function<bool(const Algorithm&)>& takes)>;

// Collective among NPUs of a network, by their indices in the group. `bytes` is the size of the whole, as in
// bus_bandwidth_factor().
struct GroupCollective {
  Collective collective = Collective::all_reduce;
  std::vector<Rank> group{};
  std::uint32_t root = 0;  // index in the group, if has_root()
  std::int64_t bytes = 0;
  bool detours = false;  // as in network_of_group()
};

// Makes a schedule's algorithm independent of the size: message sizes become numbers of chunks of the whole.
void make_scalable(Algorithm& algorithm);

// Returns the class of sizes that share an algorithm: from a power of two up to the next, exclusive.
[[nodiscard]] std::uint32_t size_class(std::int64_t bytes);

class SynthesisLibrary {
 public:
  // `failed`: links, as in erase_failed_wires(). `faster`, if given, is tried for collectives of all NPUs. Throws
  // Error(usage) if the network is ideal, or lacks one of the links.
  SynthesisLibrary(NetworkConfig network, const std::vector<std::string>& failed, Schedule::Occupancy occupancy,
                   Forwarding forwarding = Forwarding::store, FasterBuilder faster = {});

  // Returns an algorithm for any size, without relays, whose ranks are the indices in the group. Its messages have
  // numbers of chunks, and routes and sequence numbers on the links of the whole network; messages of built
  // algorithms have no routes. Throws Error(usage) if the network lacks an NPU of the group, Error(input) if there
  // is no route between two members, and as synthesize() does.
  [[nodiscard]] Algorithm make(const GroupCollective& wanted, const SynthesisChoice& choice, unsigned jobs);

  // Returns the number of synthesized algorithms.
  [[nodiscard]] std::size_t made() const { return known_.size(); }
  [[nodiscard]] const std::string& source() const { return network_.source; }

 private:
  // Network of a group; groups in equivalent positions share it.
  struct View {
    const std::string* text = nullptr;
    const NetworkConfig* network = nullptr;
    std::vector<Device> device{};  // as in GroupNetwork
  };
  const View& view_of(const GroupCollective& wanted);
  void check_ways(const GroupCollective& wanted) const;
  [[nodiscard]] std::vector<std::uint8_t> cuts_of(const View& view) const;

  NetworkConfig network_;
  WireGraph whole_;
  std::string id_;
  Schedule::Occupancy occupancy_;
  Forwarding forwarding_;
  FasterBuilder faster_;
  std::map<std::string, NetworkConfig> networks_;             // by text
  std::map<std::pair<std::vector<Rank>, bool>, View> views_;  // by group and detours
  std::map<std::string, Algorithm> known_;                    // on the network of a group
};

}  // namespace convert
