// SPDX-License-Identifier: MIT
// Reads the groups file of a set, found by the set's name.
#pragma once

#include <optional>
#include <string>

#include "io/input_set.h"

namespace convert {

// Returns PREFIX.groups.json; nothing if the file does not exist. Throws Error(input) if it exceeds 64 MiB.
[[nodiscard]] std::optional<InputSet::Groups> groups_file_of(const std::string& prefix);

}  // namespace convert
