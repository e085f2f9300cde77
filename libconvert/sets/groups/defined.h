// SPDX-License-Identifier: MIT
// Checks whether the process groups that collectives name are defined.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/diagnostic.h"
#include "core/process_group.h"
#include "passes/validate.h"
#include "sets/set_source.h"

namespace convert {

// Warns of the first collective of a named group, for ranks without a definition of groups: the members are then
// the ranks that use the group, which hides a missing member.
void warn_of_undefined_groups(std::span<const TraceSummary> ranks, Diagnostics& diagnostics);

// Checks the groups of a rank that is read without the other ranks of its set. The definitions come from the
// source, else of PREFIX.groups.json beside the file, else `announced`. `world`: ranks of the whole set.
void check_groups_of_rank(const SetSource& source, const TraceSummary& rank, std::optional<Rank> world,
                          const std::vector<ProcessGroup>& announced, const RuleSet& enabled,
                          Diagnostics& diagnostics);

}  // namespace convert
