// SPDX-License-Identifier: MIT
// Writes the result of a replay as text, CSV and JSON. Columns and keys are documented in et-simulation(7),
// RESULTS.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "simulate/engine/replay.h"

namespace convert {

// Rows of a table or CSV: NPUs, collectives or links.
enum class ReportPart : std::uint8_t { npus, collectives, wires };

struct ReportOptions {
  ReportPart part = ReportPart::npus;
  bool all = false;           // a table lists everything, without limit
  std::string findings = {};  // for JSON: an array of findings, elements indented by 2; empty: unknown
  // For CSV and JSON: called with the text so far whenever it is long; consumes the text and clears it.
  std::function<void(std::string&)> drain = {};
};

// Appends the total time, then a table with units. Part npus also lists the collectives, one row per kind. A long
// table contains only the minimum, mean and maximum of all NPUs, or only the first rows, with a note.
void append_text(const ReplayResult& result, std::string& out, const ReportOptions& options = {});
// Appends a header line, then a line for each row; times are in ns. Missing values are empty, such as the finish_ns
// of an NPU that did not finish.
void append_csv(const ReplayResult& result, std::string& out, const ReportOptions& options = {});
// Appends one object; times are in ns, with decimals if they are not whole, and null if CSV is empty. NPUs and
// collectives are always present, links if they are the part. A replay that did not complete also has the members
// described at append_waits() (deadlock.h).
void append_json(const ReplayResult& result, std::string& out, const ReportOptions& options = {});

// Appends the lines of ASTRA-sim's log that its users' scripts read: "sys[0] finished, 117780 cycles, exposed
// communication 117780 cycles." and each NPU's statistics, without the time of day.
void append_astra(const ReplayResult& result, std::string& out);

// Returns "16 of 16384 NPUs simulated, one per rank class: …" with the reason why more were not represented; or
// that all NPUs were simulated.
[[nodiscard]] std::string symmetry_text(const ReplayResult& result);

// Returns a time in nanoseconds, exact: "1500", "0.25".
[[nodiscard]] std::string format_ns(Picoseconds time);

}  // namespace convert
