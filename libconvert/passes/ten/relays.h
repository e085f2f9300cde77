// SPDX-License-Identifier: MIT
// Removes idle relays: node numbers of switches that no transfer names, as transfers pass through them without
// naming them.
#pragma once

#include "core/algorithm/schedule.h"

namespace convert {

[[nodiscard]] bool has_idle_relays(const Schedule& schedule);
// Returns the schedule of the other nodes, renumbered in order from 0, without the links of idle relays.
[[nodiscard]] Schedule without_idle_relays(const Schedule& schedule);

}  // namespace convert
