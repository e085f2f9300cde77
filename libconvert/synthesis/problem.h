// SPDX-License-Identifier: MIT
// Holds what is synthesized: a collective of some bytes among NPUs of a network.
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
  Collective collective = Collective::all_gather;  // one of which can_synthesize() is true
  std::int64_t bytes =
      0;  // of the whole collective, as bus_bandwidth_factor() has them; of broadcast and reduce too
  std::optional<std::vector<Rank>> group{};  // NPUs that take part, ascending; none: those of the network's file
  bool group_only = false;                   // other NPUs pass nothing on
  std::optional<Rank> root{};                // NPU of the network; none: the first that takes part
  std::vector<std::string> failed{};         // links, as erase_failed_wires() takes them
  std::vector<std::string> avoid{};  // links and devices, as find_links() takes them: they are there, unused
  std::vector<std::string> only{};   // if not empty, no others are used
  Schedule::Occupancy occupancy = Schedule::Occupancy::beta;
  Forwarding forwarding = Forwarding::store;  // NPUs take what comes, and send it on, in any case
};

// A request on its network. Devices are those of `wires`, which has their names; `graph` has the links that may be
// used, without failed and avoided ones and those at NPUs that pass nothing on.
struct SynthesisProblem {
  std::string source;  // of the network, for messages
  WireGraph wires{};
  LinkGraph graph{};
  Collective collective = Collective::all_gather;
  std::vector<Device> participants{};      // ascending, at least one
  std::vector<std::uint8_t> takes_part{};  // by device
  Device root = 0;                         // where has_root()
  std::int64_t shard_bytes =
      0;                       // of a participant's part; of all-to-all of a pair's, of broadcast and reduce of all
  std::int64_t bytes = 0;      // of the whole collective
  bool others_pass_on = true;  // NPUs that do not take part
  bool turned = false;         // a solution is to be played backwards, see opposite_of()
  Schedule::Occupancy occupancy = Schedule::Occupancy::beta;
  Forwarding forwarding = Forwarding::store;
  std::vector<std::uint8_t> cuts{};  // by device: it sends on what has come in part; empty: none does

  [[nodiscard]] bool cuts_through(Device d) const { return !cuts.empty() && cuts[d] != 0; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(participants.size()); }
};

// Returns the same problem where all that comes is stored.
[[nodiscard]] SynthesisProblem stored(SynthesisProblem problem);

// Returns whether there are bounds for a collective.
[[nodiscard]] bool can_synthesize(Collective c);

// Returns the problem. Bytes that cannot be divided by the participants are rounded up, with a warning [sizes].
// Throws Error(usage) if the network is ideal, the group or the root has an NPU that is not there, or a failed link
// is unknown; Error(input) if no way leads from a participant to another that it must reach, and where
// make_link_graph() does.
[[nodiscard]] SynthesisProblem make_problem(const NetworkConfig& network, const SynthesisRequest& request,
                                            Diagnostics& diagnostics);

}  // namespace convert
