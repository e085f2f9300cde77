// SPDX-License-Identifier: MIT
// Lists the kinds that et-generate makes: collectives with their algorithms, and traces.
#pragma once

#include <optional>
#include <string>

#include "collectives/collective.h"

namespace tools {

// Returns the collective of that name, if there are algorithms for it.
[[nodiscard]] std::optional<convert::Collective> collective_of(const std::string& text);

// Throws Error(usage) with the nearest name if the kind is neither a collective nor a kind of trace.
void check_kind(const std::string& kind);

// Returns the output of --list.
[[nodiscard]] std::string list_text();

}  // namespace tools
