// SPDX-License-Identifier: MIT
// Metadata attribute world_size: the number of ranks of the whole set, some of whose traces may be missing.
#pragma once

#include <optional>

#include "core/trace.h"

namespace convert {

// Returns the attribute; null if it is absent.
[[nodiscard]] const Attr* world_size_attribute(const Metadata& metadata);
// Returns the number of ranks; nothing if the attribute is absent or not a valid number of ranks.
[[nodiscard]] std::optional<Rank> world_size(const Metadata& metadata);
// Sets the attribute: replaces the value of an existing one, else appends it.
void set_world_size(Metadata& metadata, Rank ranks);

}  // namespace convert
