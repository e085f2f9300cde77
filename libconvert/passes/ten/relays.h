// SPDX-License-Identifier: MIT
// Removes idle relays: node numbers of switches that no transfer names, since they are passed through unnamed.
#pragma once

#include "core/algorithm/schedule.h"

namespace convert {

[[nodiscard]] bool has_idle_relays(const Schedule& schedule);
// Returns the schedule of the other nodes, renumbered in order from 0, without the wires of idle relays.
[[nodiscard]] Schedule without_idle_relays(const Schedule& schedule);

}  // namespace convert
