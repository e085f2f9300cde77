// SPDX-License-Identifier: MIT
// Turns a schedule into an algorithm: who sends and receives what in which order on each wire, and what each send
// waits for.
#pragma once

#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "passes/ten/flow.h"

namespace convert {

// Makes one threadblock for each end of each wire in use. The chunks of a transfer are one message as far as they
// lie side by side at both ends, and are no more than a step moves; else several, the first of them with its id as
// tag. Lays out buffers as the collective's postcondition wants them; if the chunks are not those of the collective
// (owners with different numbers of chunks, relays), calls it custom. `timed`: the schedule that `flow` was made
// of, with the transfers of `schedule` in its order. Throws Error(input) beyond 2^31 chunks or messages.
[[nodiscard]] Algorithm make_algorithm(const Schedule& schedule, const Schedule& timed, const Flow& flow);

}  // namespace convert
