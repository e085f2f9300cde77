// SPDX-License-Identifier: MIT
// Finds where the data of a broadcast starts, or the sum of a reduce ends.
#pragma once

#include <cstdint>
#include <optional>

#include "core/algorithm/algorithm.h"

namespace convert {

// Runs the algorithm once and returns the place; nothing for other collectives or a wrong result.
[[nodiscard]] std::optional<std::uint32_t> root_place(const Algorithm& algorithm);

}  // namespace convert
