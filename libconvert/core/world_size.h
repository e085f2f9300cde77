// SPDX-License-Identifier: MIT
// The metadata attribute world_size: how many ranks the whole set has, of which perhaps only some are given.
#pragma once

#include <optional>

#include "core/trace.h"

namespace convert {

// Returns the attribute as it stands; null if it is absent.
[[nodiscard]] const Attr* world_size_attribute(const Metadata& metadata);
// Returns the number of ranks; nothing if the attribute is absent, or no number of ranks.
[[nodiscard]] std::optional<Rank> world_size(const Metadata& metadata);
// Sets the attribute: replaces an earlier one in its place, else appends it.
void set_world_size(Metadata& metadata, Rank ranks);

}  // namespace convert
