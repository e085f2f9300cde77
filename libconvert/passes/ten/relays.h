// SPDX-License-Identifier: MIT
// Relays of a schedule that carry nothing: numbers of switches, which its transfers go through without naming them.
#pragma once

#include "core/algorithm/schedule.h"

namespace convert {

[[nodiscard]] bool has_idle_relays(const Schedule& schedule);
// The other nodes, in their order from 0 on. Wires of the relays go too.
[[nodiscard]] Schedule without_idle_relays(const Schedule& schedule);

}  // namespace convert
