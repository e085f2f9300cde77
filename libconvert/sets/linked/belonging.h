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

// Origins stated in the two files: processes, ranks, times.
struct Origins {
  std::string host_file, device_file;
  std::optional<std::uint64_t> host_pid;
  std::vector<std::int64_t> device_pids;
  std::optional<Rank> rank;                                // the user's rank for the host trace
  std::int64_t device_rank = -1;                           // -1: unknown
  std::optional<std::int64_t> host_time;                   // seconds since 1970, of a clock in an unknown time zone
  std::optional<std::int64_t> device_time;                 // seconds since 1970
  std::uint64_t operators = 0, calls = 0, device_ops = 0;  // counts in the device trace
};
// Returns the origins stated in the two files; `rank` is the user's rank for the host trace.
[[nodiscard]] Origins origins(const Trace& host, const Profile& device, std::optional<Rank> rank);

// Throws Error(input), with evidence, if the files are from different processes or ranks and fewer than half of the
// operators agree. Also throws if no operator matches an event reliably: the part of the profile that belongs to
// the host trace is then unknown. Only warns if `mismatched`. Warns about files of two steps, and about operators
// matched by guess. With `tell_coverage`, warns about a profile that lacks many operators of the host trace, or
// vice versa.
void check_belonging(const Origins& from, const LinkReport& report, bool mismatched, bool tell_coverage,
                     Diagnostics& diagnostics);

}  // namespace convert
