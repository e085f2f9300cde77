// SPDX-License-Identifier: MIT
// Common properties of the collectives of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/system.h"
#include "core/trace.h"
#include "core/units.h"

namespace convert {

struct ReplayProgram;

struct CollectiveKind {
  Collective op = Collective::all_reduce;
  std::int64_t size_bytes = 0;  // S of bus_bandwidth_factor() (core/collective.h); at most 2^63-1
  std::uint32_t npus = 0;       // number of members; fewer than in the group if not all dimensions take part
  std::string algorithm{};      // by dimension, joined by "+"; or "custom:FILE"; empty if there is nothing to do
  std::uint64_t chunks = 0;
  std::string source{};                   // on a machine: origin of the time, see CallSource
  std::optional<double> error_pct{};      // on a machine: expected mean error of the time
  std::optional<Picoseconds> bound_ps{};  // see bound.h; not for ideal networks
};

// Returns the kind of each plan, for ReplayResult::kinds, which reports need. Without `bounds`, no plan has a
// bound. Throws Error as NetworkReach does.
[[nodiscard]] std::vector<CollectiveKind> collective_kinds(const ReplayProgram& program, bool bounds = true);

// Returns the collective of an algorithm's traces, from the metadata of a rank and the size as counted by
// nccl-tests; nothing if the traces are not an algorithm, or the size is 0 (unknown).
[[nodiscard]] std::optional<CollectiveKind> algorithm_kind(const Metadata& metadata, std::int64_t size_bytes);

}  // namespace convert
