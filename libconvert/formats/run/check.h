// SPDX-License-Identifier: MIT
// Range checks of a run that was read, so that its users need none.
#pragma once

#include <string>

#include "core/run.h"

namespace convert {

// Throws Error(input) about `file` if an index is invalid, a table lacks a row, or a time range is reversed.
void check_run(const Run& run, const std::string& file);

}  // namespace convert
