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

// Warns about the first collective of a named group, for ranks without group definitions: the members are then
// assumed to be the ranks that use the group, which hides a missing member.
void warn_of_undefined_groups(std::span<const TraceSummary> ranks, Diagnostics& diagnostics);

// Checks the groups of a rank that is read without the other ranks of its set. The definitions come from the
// source, else from PREFIX.groups.json next to the file, else from `announced`. `world`: number of ranks of the
// whole set.
void check_groups_of_rank(const SetSource& source, const TraceSummary& rank, std::optional<Rank> world,
                          const std::vector<ProcessGroup>& announced, const RuleSet& enabled,
                          Diagnostics& diagnostics);

}  // namespace convert
