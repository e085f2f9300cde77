// SPDX-License-Identifier: MIT
// Writes the result of a replay as text, CSV and JSON. What the columns and keys mean: et-replay(1), OUTPUT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "simulate/engine/replay.h"

namespace convert {

// Says what a table or CSV lists: a row for each NPU, collective or wire.
enum class ReportPart : std::uint8_t { npus, collectives, wires };

struct ReportOptions {
  ReportPart part = ReportPart::npus;
  bool all = false;           // a table lists everything, however long it gets
  std::string findings = {};  // for JSON: an array of what there is to say, elements indented by 2; empty: unknown
  // For CSV and JSON: takes what has been appended so far, and empties it, whenever that is long.
  std::function<void(std::string&)> drain = {};
};

// Appends the total time, then a table with units; part npus adds the collectives, those of a kind in one row. A
// table that would be long has the lowest, mean and highest of all NPUs, or only the first rows, and says so.
void append_text(const ReplayResult& result, std::string& out, const ReportOptions& options = {});
// Appends a header line, then a line for each; times are in ns. What does not exist is empty, such as the finish_ns
// of an NPU that did not finish.
void append_csv(const ReplayResult& result, std::string& out, const ReportOptions& options = {});
// Appends one object; times are in ns, with decimals if they are not whole, and null where CSV is empty. NPUs and
// collectives are always there, wires if they are the part. A replay that did not complete also has what
// append_waits() (deadlock.h) describes.
void append_json(const ReplayResult& result, std::string& out, const ReportOptions& options = {});

// Appends the lines of ASTRA-sim's log that its users' scripts read: "sys[0] finished, 117780 cycles, exposed
// communication 117780 cycles." and each NPU's statistics, without the time of day.
void append_astra(const ReplayResult& result, std::string& out);

// Returns "16 of 16384 NPUs simulated, each for its class: …" with what keeps it from being fewer; or that each
// was.
[[nodiscard]] std::string symmetry_text(const ReplayResult& result);

// Returns a time in nanoseconds, exact: "1500", "0.25".
[[nodiscard]] std::string format_ns(Picoseconds time);

}  // namespace convert
