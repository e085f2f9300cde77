// SPDX-License-Identifier: MIT
// Reader and writer of runs as Chrome trace JSON, which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <span>
#include <string_view>

#include "core/run.h"
#include "formats/format.h"
#include "io/output.h"

namespace convert {

// Writes a process for each rank of each run, with a thread for each lane. Overlapping slices of a lane get
// separate threads ("send", "send 2", …), because the slices of a thread must nest. Arrows lead from sends to
// receives. ts and dur are µs, exact to the picosecond. Does not close `out`.
void write_chrome(std::span<const Run> runs, const FormatOptions& options, Output& out);
// Writes a run that consists of this timeline only.
void write_chrome(const Timeline& timeline, Output& out);

// Returns whether a file begins like a Chrome trace without marks of Kineto.
[[nodiscard]] bool sniff_chrome(std::string_view head);

}  // namespace convert
