// SPDX-License-Identifier: MIT
// Marks COMP nodes of recordings that communicate, by a collective that is not recognised.
#pragma once

#include "core/trace.h"

namespace convert {

// The attribute that et-link and et-convert give such nodes: true.
inline const Name unknown_communication{std::string_view("communication_unknown")};

}  // namespace convert
