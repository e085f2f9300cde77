// SPDX-License-Identifier: MIT
// Checks that the numbers of a run that was read are in their ranges, so that whoever uses it need not.
#pragma once

#include <string>

#include "core/run.h"

namespace convert {

// Throws Error(input) about `file` if an index leads nowhere, a table lacks a row, or times run backwards.
void check_run(const Run& run, const std::string& file);

}  // namespace convert
