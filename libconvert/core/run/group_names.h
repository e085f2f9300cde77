// SPDX-License-Identifier: MIT
// Names of process groups, such as PyTorch's descriptions, in a trace's metadata and in a run. The metadata
// attribute is `group_names`, with a line "ID=NAME" for each group.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/run.h"
#include "core/trace.h"

namespace convert {

using GroupNames = std::map<std::int64_t, std::string>;  // by id of the group

// Adds the names that are not empty. Line breaks in names become spaces.
void add_group_names(const GroupNames& names, Metadata& metadata);
// Returns the names. Lines without a number are ignored.
[[nodiscard]] GroupNames group_names_of(const Metadata& metadata);

// Adds the names to a run. A group that has a name keeps it.
void add_group_names(const GroupNames& names, Run& run);

}  // namespace convert
