// SPDX-License-Identifier: MIT
// The metadata attribute world_size: of how many ranks the set is that a trace belongs to. Where only some of them
// are there, it tells how many are missing.
#pragma once

#include <optional>

#include "core/trace.h"

namespace convert {

// The attribute as it stands; null if it is absent.
[[nodiscard]] const Attr* world_size_attribute(const Metadata& metadata);
// Nothing if it is absent, or no number of ranks.
[[nodiscard]] std::optional<Rank> world_size(const Metadata& metadata);
// Replaces what is there, in its place.
void set_world_size(Metadata& metadata, Rank ranks);

}  // namespace convert
