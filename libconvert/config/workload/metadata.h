// SPDX-License-Identifier: MIT
// Reads and writes what the metadata of a trace say of the workload that it is of.
#pragma once

#include <optional>
#include <string>

#include "config/workload/workload.h"
#include "core/trace.h"

namespace convert {

// Returns the settings as lines of a workload file, without those that have their defaults.
[[nodiscard]] std::string workload_text(const Workload& w);

// Returns the workload of a set that et-generate made, from the metadata of any of its ranks: attribute `workload`.
// Throws Error(input) [workload] if it does not parse; messages call the set `name`.
[[nodiscard]] std::optional<Workload> told_workload(const Metadata& metadata, const std::string& name);

// Sets the attributes `workload` and `ranks` where they are.
void tell_workload(Metadata& metadata, const Workload& w);
// Removes `workload` where it is, and sets `ranks`: for sets that are a part of what the plan says.
void forget_workload(Metadata& metadata, std::uint64_t ranks);

}  // namespace convert
