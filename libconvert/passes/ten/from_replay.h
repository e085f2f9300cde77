// SPDX-License-Identifier: MIT
// Writes what a replay of an algorithm did as a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/timeline.h"
#include "core/trace.h"

namespace convert {

// Names of the parts of a replay's schedule in its traces.
struct ReplayNames {
  std::vector<std::pair<Rank, NodeId>> sends;  // by transfer: the node that sends it
  std::vector<std::pair<Rank, std::int64_t>>
      chunks;  // by chunk, its first one: the owner (reductions: 0), its index
};

// Returns `frame`, which has nodes, wires, occupancy, file and name, with what the ranks 0…n-1 did. The traces must
// carry chunk provenance, the timeline the begin and end of each node. A transfer starts as long before its arrival
// as its wire takes; if the frame has switches, messages over them go as the hops of the timeline say, which must
// be of messages that are stored. Throws Error(input) if a schedule cannot say it: messages between ranks without a
// wire, messages of which a part is added up and a part not, sizes that do not add up, no provenance. Chunks that
// always travel together are one chunk of the schedule; a message of several such carries them all.
// With `drawn`, messages go over any hops of the timeline, also through NPUs and switches that forward partial
// messages: to be drawn, not to be checked. Sets `names` if it is given.
[[nodiscard]] Schedule fill_from_replay(std::span<const Trace> traces, const Timeline& timeline, Schedule frame,
                                        bool drawn = false, ReplayNames* names = nullptr);

}  // namespace convert
