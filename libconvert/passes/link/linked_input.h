// SPDX-License-Identifier: MIT
// A trace that was linked already (the JSON that MLCommons Chakra's linker writes), taken apart into host nodes and
// a profile, to be linked by our rules.
#pragma once

#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Whether any node has a device operation's `cat`, or a `ts`.
[[nodiscard]] bool is_linked(const Trace& trace);
// Leaves the host nodes, without the fields of the linking. The profile holds an operator for each that has a time,
// and the device operations, each launched inside the operator that it hangs on.
[[nodiscard]] Profile take_linked_apart(Trace& trace);

}  // namespace convert
