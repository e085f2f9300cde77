// SPDX-License-Identifier: MIT
// Writes machine files and their tables; machine/file.h reads them.
#pragma once

#include <set>
#include <span>
#include <string>

#include "machine/machine.h"

namespace convert {

// Returns the YAML of a machine. `undetermined` are names of constants that are marked as defaults.
[[nodiscard]] std::string machine_yaml(const Machine& machine, const std::set<std::string>& undetermined);
// Returns a table of measured calls as CSV.
[[nodiscard]] std::string machine_csv(std::span<const MeasuredCall> calls);

}  // namespace convert
