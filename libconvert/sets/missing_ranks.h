// SPDX-License-Identifier: MIT
// Warnings about missing ranks of a set, and about files named for another rank.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/validate.h"

namespace convert {

// Warns once about ranks that are not in `present` (ascending), although process groups name them or the size of
// the whole set (the metadata's world_size) implies them. `groups`: null if unknown. `hint`: advice if ranks are
// missing on purpose.
void warn_of_missing_ranks(const std::string& set, std::span<const Rank> present, std::optional<Rank> world,
                           const GroupLists* groups, std::string_view hint, Diagnostics& diagnostics);
// Returns advice for a set with the given file of one rank. A table of classes next to the file identifies a folded
// set.
[[nodiscard]] std::string subset_hint(const std::string& file);

// Warns if the name of the file `path`, which `rank` is written to, is the name of another rank (x.0.et or x.et for
// rank 1): readers take the rank from the name.
void warn_of_named_rank(const std::string& path, Rank rank, Diagnostics& diagnostics);

}  // namespace convert
