// SPDX-License-Identifier: MIT
// Classifies device operations as the reference program does (see convert.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace.h"

namespace convert::compat {

// Returns the collective for the name of a kernel, or nullopt if the reference program does not recognise it.
[[nodiscard]] std::optional<Collective> collective_type(std::string_view kernel);

// Returns the bytes of the tensors among the inputs, from Python's text of the lists of values and types. Returns
// nullopt if the reference program fails.
[[nodiscard]] std::optional<std::int64_t> input_bytes(std::string_view values, std::string_view types);

}  // namespace convert::compat
