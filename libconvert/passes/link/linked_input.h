// SPDX-License-Identifier: MIT
// Splits an already linked trace (the JSON of MLCommons Chakra's linker) into host nodes and a profile, to be
// linked again by etkit's rules.
#pragma once

#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Returns whether any node has the `cat` of a device operation, or a `ts`.
[[nodiscard]] bool is_linked(const Trace& trace);
// Reduces the trace to the host nodes, without the linker's fields. Returns a profile with an operator for each
// node that has a time, and the device operations, each launched inside the operator that it depended on.
[[nodiscard]] Profile take_linked_apart(Trace& trace);

}  // namespace convert
