// SPDX-License-Identifier: MIT
// Marks nodes of recordings whose communication is not recognised, or not recorded.
#pragma once

#include "core/trace.h"

namespace convert {

// Attributes that et-link and et-convert write with the value true: of COMP nodes that communicate by a collective
// that is not recognised,
inline const Name unknown_communication{std::string_view("communication_unknown")};
// of communication nodes whose call has no kernel in the device trace, which have the time of the call on the CPU,
inline const Name kernelless_communication{std::string_view("communication_without_kernel")};
// and of CPU operators that call a collective whose communication is not in the recording.
inline const Name missing_communication{std::string_view("communication_missing")};

}  // namespace convert
