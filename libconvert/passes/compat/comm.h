// SPDX-License-Identifier: MIT
// Tells what the reference program (see convert.h) takes a device operation for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace.h"

namespace convert::compat {

// Returns the collective by the name of a kernel; nothing if the reference does not know it.
[[nodiscard]] std::optional<Collective> collective_type(std::string_view kernel);

// Returns the bytes of the tensors among the inputs, from Python's text of the lists of values and types; nothing
// where the reference fails.
[[nodiscard]] std::optional<std::int64_t> input_bytes(std::string_view values, std::string_view types);

}  // namespace convert::compat
