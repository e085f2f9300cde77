// SPDX-License-Identifier: MIT
// Reads and writes the workload attributes in the metadata of a trace.
#pragma once

#include <optional>
#include <string>

#include "config/workload/workload.h"
#include "core/trace.h"

namespace convert {

// Returns the settings as lines of a workload file, without settings that have their default values.
[[nodiscard]] std::string workload_text(const Workload& w);

// Returns the workload of a set that et-generate made, from the metadata of any rank: attribute `workload`.
// Throws Error(input) [workload] if it does not parse; messages call the set `name`.
[[nodiscard]] std::optional<Workload> told_workload(const Metadata& metadata, const std::string& name);

// Sets the attributes `workload` and `ranks` if they exist.
void tell_workload(Metadata& metadata, const Workload& w);
// Removes `workload` if it exists, and sets `ranks` if given: for sets that no longer match the plan.
void forget_workload(Metadata& metadata, std::optional<std::uint64_t> ranks = std::nullopt);

}  // namespace convert
