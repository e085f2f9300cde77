// SPDX-License-Identifier: MIT
// Finds whether a class-compressed set records times, from one rank of each class.
#pragma once

#include <string>

#include "core/master/master_set.h"

namespace convert {

// Returns whether a node of any rank may have a recorded time. `file` is the name of the set, for messages.
[[nodiscard]] bool may_state_times(const MasterSet& set, const std::string& file);

}  // namespace convert
