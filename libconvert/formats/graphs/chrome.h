// SPDX-License-Identifier: MIT
// Writes timelines as Chrome trace JSON, which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include "core/timeline.h"
#include "io/output.h"

namespace convert {

// Writes a process for each rank, a thread for each lane. Slices of one lane that overlap get threads of their own
// ("send", "send 2", …), since a thread's slices must nest. Arrows lead from sends to receives. ts and dur are
// microseconds, exact to the picosecond. Does not close `out`.
void write_chrome(const Timeline& timeline, Output& out);

}  // namespace convert
