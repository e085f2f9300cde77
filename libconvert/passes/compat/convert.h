// SPDX-License-Identifier: MIT
// Turns PyTorch traces, linked or not, into Chakra's schema as the reference program does, MLCommons Chakra's
// converter: the result encodes to the same bytes.
#pragma once

#include "core/trace.h"

namespace convert {

// Converts what read_pytorch() or link_like_reference() returns. Throws Error(input) where the reference fails.
[[nodiscard]] Trace convert_like_reference(Trace linked);

}  // namespace convert
