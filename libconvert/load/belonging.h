// SPDX-License-Identifier: MIT
// Whether a host trace and a device trace belong together.
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

// What the two files say of where they come from.
struct Origins {
  std::string host_file, device_file;
  std::optional<std::uint64_t> host_pid;
  std::vector<std::int64_t> device_pids;
  std::optional<Rank> rank;                 // that the user takes the host trace for
  std::int64_t device_rank = -1;            // -1: not told
  std::optional<std::int64_t> host_time;    // seconds since 1970, of a clock whose time zone nobody knows
  std::optional<std::int64_t> device_time;  // seconds since 1970
};
[[nodiscard]] Origins origins(const Trace& host, const Profile& device, std::optional<Rank> rank);

// Throws Error(input) with the evidence if the files are of different processes or ranks and fewer than half of the
// operators agree; warns of it if `mismatched`. Warns of files of two steps, and of operators matched by guess.
void check_belonging(const Origins& from, const LinkReport& report, bool mismatched, Diagnostics& diagnostics);

}  // namespace convert
