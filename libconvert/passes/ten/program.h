// SPDX-License-Identifier: MIT
// Schedule → Algorithm: who sends and receives what in which order on each wire, and what each send waits for.
#pragma once

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "passes/ten/flow.h"

namespace convert {

// One threadblock for each end of each wire in use. Buffers are laid out as the collective's postcondition wants
// them; where the chunks are not those of the collective (owners with different numbers of chunks, relays) it is
// called custom. `timed` is the schedule that `flow` was made of; it has the transfers of `schedule` in its order.
// Throws Error(input) beyond 2^31 chunks or messages.
[[nodiscard]] Algorithm make_algorithm(const Schedule& schedule, const Schedule& timed, const Flow& flow);

}  // namespace convert
