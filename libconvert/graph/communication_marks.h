// SPDX-License-Identifier: MIT
// Marks on nodes of recordings whose communication is not recognised or not recorded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Boolean attributes that et-link and et-convert write with the value true.
// A COMP node that communicates by an unrecognised collective.
inline const Name unknown_communication{std::string_view("communication_unknown")};
// A communication node whose call has no kernel in the device trace; its duration is the time of the call on the
// CPU.
inline const Name kernelless_communication{std::string_view("communication_without_kernel")};
// A CPU operator that calls a collective whose communication is not in the recording.
inline const Name missing_communication{std::string_view("communication_missing")};

// Return the note printed with a result for `nodes` nodes with the mark.
[[nodiscard]] std::string kernelless_text(std::uint64_t nodes, Picoseconds time);
[[nodiscard]] std::string missing_text(std::uint64_t nodes);

}  // namespace convert
