// SPDX-License-Identifier: MIT
// Synthesis problem: a collective of some bytes among NPUs of a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/network/forwarding.h"
#include "config/network/network.h"
#include "core/algorithm/schedule.h"
#include "core/collective.h"
#include "core/diagnostic.h"
#include "synthesis/graph.h"

namespace convert {

struct SynthesisRequest {
  Collective collective = Collective::all_gather;  // one that can_synthesize()
  std::int64_t bytes = 0;  // of the whole collective, as in bus_bandwidth_factor(); also for broadcast and reduce
  std::optional<std::vector<Rank>> group{};  // participating NPUs, ascending; nothing: the group of the network
                                             // file
  bool group_only = false;                   // other NPUs forward nothing
  std::optional<Rank> root{};                // NPU of the network; nothing: the first participant
  std::vector<std::string> failed{};         // links, in the notation of erase_failed_wires()
  std::vector<std::string> avoid{};          // unused links and devices, in the notation of find_links()
  std::vector<std::string> only{};           // if not empty, only these are used
  Schedule::Occupancy occupancy = Schedule::Occupancy::beta;
  Forwarding forwarding = Forwarding::store;  // NPUs always store and forward
};

// A request on its network. Devices are numbered as in `wires`, which has their names. `graph` contains the usable
// links: without failed and avoided links and links at NPUs that forward nothing.
struct SynthesisProblem {
  std::string source;  // of the network, for messages
  WireGraph wires{};
  LinkGraph graph{};
  Collective collective = Collective::all_gather;
  std::vector<Device> participants{};      // ascending, at least one
  std::vector<std::uint8_t> takes_part{};  // by device
  Device root = 0;                         // if has_root()
  std::int64_t shard_bytes = 0;  // of a participant's shard; of a pair's in all-to-all; of all data in broadcast
                                 // and reduce
  std::int64_t bytes = 0;        // of the whole collective
  bool others_pass_on = true;    // whether non-participants forward data
  bool turned = false;           // whether the solution will be reversed, see opposite_of()
  Schedule::Occupancy occupancy = Schedule::Occupancy::beta;
  Forwarding forwarding = Forwarding::store;
  std::vector<std::uint8_t> cuts{};  // by device: cuts through, so it forwards messages before they have arrived
                                     // completely; empty: none

  [[nodiscard]] bool cuts_through(Device d) const { return !cuts.empty() && cuts[d] != 0; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(participants.size()); }
};

// Returns the same problem with store-and-forward devices.
[[nodiscard]] SynthesisProblem stored(SynthesisProblem problem);

// Returns whether there are bounds for a collective.
[[nodiscard]] bool can_synthesize(Collective c);

// Returns the problem. Bytes that are not divisible by the number of participants are rounded up, with a warning
// [sizes]. Throws Error(usage) if the network is ideal, the group or the root contains an unknown NPU, or a failed
// link is unknown. Throws Error(input) if there is no route from a participant to another that it must reach, and
// in the cases of make_link_graph().
[[nodiscard]] SynthesisProblem make_problem(const NetworkConfig& network, const SynthesisRequest& request,
                                            Diagnostics& diagnostics);

}  // namespace convert
