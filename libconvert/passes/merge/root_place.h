// SPDX-License-Identifier: MIT
// Where the data of a broadcast starts, or the sum of a reduce ends.
#pragma once

#include <cstdint>
#include <optional>

#include "core/algorithm/algorithm.h"

namespace convert {

// The place; nothing of other collectives, and of programs that do not compute theirs. Runs the algorithm once.
[[nodiscard]] std::optional<std::uint32_t> root_place(const Algorithm& algorithm);

}  // namespace convert
