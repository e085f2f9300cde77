// SPDX-License-Identifier: MIT
// The result of a replay as text for people, CSV and JSON.
#pragma once

#include <string>

#include "simulate/replay.h"

namespace convert {

// The total, then a row for each NPU, with units.
void append_text(const ReplayResult& result, std::string& out);
// A header line, then a line for each NPU; times in ns. An NPU that did not finish has an empty finish_ns.
void append_csv(const ReplayResult& result, std::string& out);
// {"model", "issue", "status", "total_ns", "npus": [{"npu", "finish_ns", "exposed_communication_ns", "compute_ns",
// "sends", "bytes_sent"}, …]}; times that are not whole ns get decimals; finish_ns is null if unfinished. A replay
// that did not complete has what append_waits() (deadlock.h) describes as well.
void append_json(const ReplayResult& result, std::string& out);

// The lines of ASTRA-sim's log that its users' scripts read: "sys[0] finished, 117780 cycles, exposed communication
// 117780 cycles." and each NPU's statistics, without the time of day.
void append_astra(const ReplayResult& result, std::string& out);

// Nanoseconds, exact: "1500", "0.25".
[[nodiscard]] std::string format_ns(Picoseconds time);

}  // namespace convert
