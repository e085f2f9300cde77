// SPDX-License-Identifier: MIT
// Reads and sets the metadata attribute world_size: how many ranks the whole set has, some of which may be missing.
#pragma once

#include <optional>

#include "core/trace.h"

namespace convert {

// Returns the attribute as it stands; null if it is absent.
[[nodiscard]] const Attr* world_size_attribute(const Metadata& metadata);
// Returns the number of ranks; nothing if the attribute is absent or its value cannot be one.
[[nodiscard]] std::optional<Rank> world_size(const Metadata& metadata);
// Sets the attribute: replaces an earlier one in its place, else appends it.
void set_world_size(Metadata& metadata, Rank ranks);

}  // namespace convert
