// SPDX-License-Identifier: MIT
// Warns of ranks that a set should have and that have no trace, and of files named for another rank.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/validate.h"

namespace convert {

// Warns once, naming them, of ranks that are not `present` (ascending), although process groups name them or the
// size of the whole set (metadata's world_size) implies them. `groups`: null if unknown. `hint`: what to do if the
// ranks are missing on purpose.
void warn_of_missing_ranks(const std::string& set, std::span<const Rank> present, std::optional<Rank> world,
                           const GroupLists* groups, std::string_view hint, Diagnostics& diagnostics);
// Returns what to do of a set, by the name of one of its ranks; of a folded one, beside which stands a table of its
// classes, that it is one.
[[nodiscard]] std::string subset_hint(const std::string& file);

// Warns if the name of the file `path`, to which `rank` is written, is the name of another rank (x.0.et or
// x.et for rank 1): readers take the rank from the name.
void warn_of_named_rank(const std::string& path, Rank rank, Diagnostics& diagnostics);

}  // namespace convert
