// SPDX-License-Identifier: MIT
// Makes algorithms for collectives of groups of a network's NPUs, those that are alike once.
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

// Returns the fastest built algorithm that takes less than `limit` on a network all of whose NPUs take part, and
// that `takes` returns true for; nothing if there is none.
using FasterBuilder = std::function<std::optional<Algorithm>(
    const NetworkConfig& network, const SynthesisRequest& request, const SynthesisProblem& problem,
    const SynthesisChoice& choice, Picoseconds limit, const std::function<bool(const Algorithm&)>& takes)>;

// A collective among NPUs of a network, by their places; `bytes` are those of the whole, as bus_bandwidth_factor()
// has them.
struct GroupCollective {
  Collective collective = Collective::all_reduce;
  std::vector<Rank> group{};
  std::uint32_t root = 0;  // place, where has_root()
  std::int64_t bytes = 0;
  bool detours = false;  // as network_of_group() has them
};

// Makes of an algorithm of a schedule one for any size: its messages are so many chunks of the whole.
void make_scalable(Algorithm& algorithm);

// Returns the class of sizes that share an algorithm: those from a power of two on, below the next one.
[[nodiscard]] std::uint32_t size_class(std::int64_t bytes);

class SynthesisLibrary {
 public:
  // `failed`: links, as erase_failed_wires() takes them. `faster`, if given, is asked for collectives of all NPUs.
  // Throws Error(usage) if the network is ideal, or lacks one of the links.
  SynthesisLibrary(NetworkConfig network, const std::vector<std::string>& failed, Schedule::Occupancy occupancy,
                   Forwarding forwarding = Forwarding::store, FasterBuilder faster = {});

  // Returns an algorithm whose ranks are the places of the group, without relays, and whose messages are so many
  // chunks, for any size, and have their ways and turns on the links of the whole network; those of built
  // algorithms have none. Throws Error(usage) if the network lacks an NPU of the group, Error(input) if no way
  // leads from a member to another, and as synthesize() does.
  [[nodiscard]] Algorithm make(const GroupCollective& wanted, const SynthesisChoice& choice, unsigned jobs);

  // Returns how many algorithms were synthesized.
  [[nodiscard]] std::size_t made() const { return known_.size(); }
  [[nodiscard]] const std::string& source() const { return network_.source; }

 private:
  // The network of a group, which groups that lie alike share.
  struct View {
    const std::string* text = nullptr;
    const NetworkConfig* network = nullptr;
    std::vector<Device> device{};  // as GroupNetwork has them
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
  std::map<std::pair<std::vector<Rank>, bool>, View> views_;  // by group, and with detours or not
  std::map<std::string, Algorithm> known_;                    // on the network of a group
};

}  // namespace convert
