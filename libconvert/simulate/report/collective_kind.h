// SPDX-License-Identifier: MIT
// Says what the collectives of a plan have in common.
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
  std::uint32_t npus = 0;       // that work together; fewer than the group if not all dimensions take part
  std::string algorithm{};      // by dimension, joined by "+"; or "custom:FILE"; empty if there is nothing to do
  std::uint64_t chunks = 0;
  std::optional<Picoseconds> bound_ps{};  // see bound.h; not for ideal networks
};

// Returns the kind of each plan, for ReplayResult::kinds, which reports need; without `bounds` no plan has a bound.
// Throws Error as NetworkReach does.
[[nodiscard]] std::vector<CollectiveKind> collective_kinds(const ReplayProgram& program, bool bounds = true);

// Returns the collective of traces of an algorithm, from the metadata of a rank and the size as nccl-tests count
// it; nothing if the traces are no algorithm, or the size is 0: unknown.
[[nodiscard]] std::optional<CollectiveKind> algorithm_kind(const Metadata& metadata, std::int64_t size_bytes);

}  // namespace convert
