// SPDX-License-Identifier: MIT
// Converts the replay of an algorithm to a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/timeline.h"
#include "core/trace.h"

namespace convert {

// Names of the transfers and chunks of a replay's schedule in its traces.
struct ReplayNames {
  std::vector<std::pair<Rank, NodeId>> sends;  // by transfer: the node that sends it
  std::vector<std::pair<Rank, std::int64_t>>
      // by chunk, for its first part: the owner (reductions: 0), and the index
      chunks;
};

// Returns `frame`, which has nodes, links, occupancy, file and name, with the transfers of ranks 0…n-1. The traces
// must carry chunk provenance, and the timeline the start and end of each node. A transfer starts one hop time of
// its link before its arrival. If the frame has switches, messages over them take the hops of the timeline, which
// must store whole messages. Chunks that always travel together become one chunk of the schedule; a message may
// carry several of these chunks. Throws Error(input) if a schedule cannot express the replay: messages between
// ranks without a link, messages that are only partly reduced, sizes that do not add up, no provenance. With
// `drawn`, messages take any hops of the timeline, including NPUs and switches that forward partial messages; such
// a schedule can be drawn but not checked. Sets `names` if it is not null.
[[nodiscard]] Schedule fill_from_replay(std::span<const Trace> traces, const Timeline& timeline, Schedule frame,
                                        bool drawn = false, ReplayNames* names = nullptr);

}  // namespace convert
