// SPDX-License-Identifier: MIT
// What --compute recorded and --comm recorded go together with.
#pragma once

#include "replay/options.h"
#include "replay/output.h"

namespace tools {

// Throws Error(usage) that names an option which would have no meaning.
void check_recorded_options(const ReplayInputOptions& input, const ReplayOutputOptions& output, bool sweep);

}  // namespace tools
