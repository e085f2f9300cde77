// SPDX-License-Identifier: MIT
// What a replay of an algorithm did, as a schedule.
#pragma once

#include <span>

#include "core/algorithm/schedule.h"
#include "core/timeline.h"
#include "core/trace.h"

namespace convert {

// `frame`: nodes, wires, occupancy, file and name of the schedule. The traces (ranks 0…n-1) must carry chunk
// provenance, the timeline the begin and end of each of their nodes. A transfer starts so much before its arrival
// as its wire needs. Throws Error(input) where a schedule cannot say what they do: messages between ranks without a
// wire, chunks that travel together here and apart there, no provenance.
[[nodiscard]] Schedule schedule_of_replay(std::span<const Trace> traces, const Timeline& timeline, Schedule frame);

}  // namespace convert
