// SPDX-License-Identifier: MIT
// Ranks that a set should have and nobody gave a trace for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/validate.h"

namespace convert {

// Warns once, naming them, of ranks that are not `present` (ascending), and that process groups name or the size of
// the whole set (metadata's world_size) implies. `groups`: null if nothing is known of them. `hint`: what to do if
// they are missing on purpose.
void warn_of_missing_ranks(const std::string& set, std::span<const Rank> present, std::optional<Rank> world,
                           const GroupLists* groups, std::string_view hint, Diagnostics& diagnostics);
inline constexpr std::string_view subset_hint =
    "are all ranks in the set? et-split --ranks makes a set of its own of some of them";

}  // namespace convert
