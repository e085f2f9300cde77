// SPDX-License-Identifier: MIT
// Reads and writes runs as Chrome trace JSON, which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <span>
#include <string_view>

#include "core/run.h"
#include "formats/format.h"
#include "io/output.h"

namespace convert {

// Writes a process for each rank of each run, a thread for each lane. Slices of one lane that overlap get threads
// of their own ("send", "send 2", …), since a thread's slices must nest. Arrows lead from sends to receives. ts and
// dur are microseconds, exact to the picosecond. Does not close `out`.
void write_chrome(std::span<const Run> runs, const FormatOptions& options, Output& out);
// Writes a run that has no more than this timeline.
void write_chrome(const Timeline& timeline, Output& out);

// Returns whether the beginning of a file is a Chrome trace and has no mark of Kineto's.
[[nodiscard]] bool sniff_chrome(std::string_view head);

}  // namespace convert
