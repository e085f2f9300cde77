// SPDX-License-Identifier: MIT
// Converts a schedule to an algorithm: the order of messages on each link, and the dependencies of each send.
#pragma once

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "passes/ten/flow.h"

namespace convert {

// Makes one threadblock for each end of each used link. The chunks of a transfer form one message if they are
// contiguous at both ends and fit a step. Otherwise they form several messages, and the first one has the
// transfer's id as tag. Lays out buffers as the collective's postcondition requires. Calls the collective custom if
// the chunks do not match it (owners with different numbers of chunks, relays). `timed`: the schedule that `flow`
// was made from, with the transfers of `schedule` in its order. Throws Error(input) beyond 2^31 chunks or messages.
[[nodiscard]] Algorithm make_algorithm(const Schedule& schedule, const Schedule& timed, const Flow& flow);

}  // namespace convert
