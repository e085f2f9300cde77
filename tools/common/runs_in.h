// SPDX-License-Identifier: MIT
// Opens inputs that may be runs.
#pragma once

#include <optional>
#include <string>

#include "core/run.h"

namespace tools {

// Returns the run that a file holds; nothing if the operand is no file, or one of traces. Throws Error as readers
// do.
[[nodiscard]] std::optional<convert::Run> run_in(const std::string& operand);

}  // namespace tools
