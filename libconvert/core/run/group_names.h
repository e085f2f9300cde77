// SPDX-License-Identifier: MIT
// Names of process groups, such as PyTorch's descriptions, in the metadata of a trace (attribute `group_names`, a
// line "ID=NAME" for each group) and in a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/run.h"
#include "core/trace.h"

namespace convert {

using GroupNames = std::map<std::int64_t, std::string>;  // by id of the group

// Adds the names that are not empty; line breaks in names become spaces.
void add_group_names(const GroupNames& names, Metadata& metadata);
// Returns the names; lines without a number are ignored.
[[nodiscard]] GroupNames group_names_of(const Metadata& metadata);

// Adds the names to the names of a run; a group with a name keeps it.
void add_group_names(const GroupNames& names, Run& run);

}  // namespace convert
