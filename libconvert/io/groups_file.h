// SPDX-License-Identifier: MIT
// Reads the groups file of a set by the name of the set.
#pragma once

#include <optional>
#include <string>

#include "io/input_set.h"

namespace convert {

// Returns PREFIX.groups.json; nothing if there is no such file. Throws Error(input) if it exceeds 64 MiB.
[[nodiscard]] std::optional<InputSet::Groups> groups_file_of(const std::string& prefix);

}  // namespace convert
