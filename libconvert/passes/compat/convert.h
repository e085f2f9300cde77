// SPDX-License-Identifier: MIT
// Converts PyTorch traces, linked or not, to Chakra's schema like the reference program, MLCommons Chakra's
// converter. The result encodes to the same bytes.
#pragma once

#include "core/trace.h"

namespace convert {

// Converts the result of read_pytorch() or link_like_reference(). Throws Error(input) if the reference program
// fails.
[[nodiscard]] Trace convert_like_reference(Trace linked);

}  // namespace convert
