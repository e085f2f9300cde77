// SPDX-License-Identifier: MIT
// Checks whether a host trace and a device trace belong together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/report.h"

namespace convert {

// Holds the origins that the two files state: processes, ranks, times.
struct Origins {
  std::string host_file, device_file;
  std::optional<std::uint64_t> host_pid;
  std::vector<std::int64_t> device_pids;
  std::optional<Rank> rank;                 // the user's rank of the host trace
  std::int64_t device_rank = -1;            // -1: not told
  std::optional<std::int64_t> host_time;    // seconds since 1970, of a clock whose time zone is unknown
  std::optional<std::int64_t> device_time;  // seconds since 1970
  std::uint64_t operators = 0, calls = 0, device_ops = 0;  // numbers of these in the device trace
};
// Returns what the two files state; `rank` is what the user says of the host trace.
[[nodiscard]] Origins origins(const Trace& host, const Profile& device, std::optional<Rank> rank);

// Throws Error(input) with the evidence if the files are of different processes or ranks and fewer than half of the
// operators agree, or if no operator has an event for sure, so that nothing tells which part of the profile belongs
// to the host trace; only warns if `mismatched`. Warns of files of two steps, of operators matched by guess, and,
// if `tell_coverage`, of a profile that holds only a part of the operators, or many that the host trace lacks.
void check_belonging(const Origins& from, const LinkReport& report, bool mismatched, bool tell_coverage,
                     Diagnostics& diagnostics);

}  // namespace convert
