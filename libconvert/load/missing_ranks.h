// SPDX-License-Identifier: MIT
// Ranks that a set should have and nobody gave a trace for.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/validate.h"

namespace convert {

// Warns once, naming them, of ranks that are not `present` (ascending), and that process groups name or the size of
// the whole set (metadata's world_size) implies. `groups`: null if nothing is known of them.
void warn_of_missing_ranks(const std::string& set, std::span<const Rank> present, std::optional<Rank> world,
                           const GroupLists* groups, Diagnostics& diagnostics);

}  // namespace convert
