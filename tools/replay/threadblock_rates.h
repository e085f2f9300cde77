// SPDX-License-Identifier: MIT
// Rates of the threadblocks of an MSCCL program, which a replay does not limit.
#pragma once

#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "simulate/engine/replay.h"

namespace tools {

// Returns a note if the threadblocks of a GPU send faster in the replay of an algorithm than was
// measured. Nothing without an algorithm, for an algorithm from a schedule (which no runtime runs unchanged), and
// on an ideal network.
[[nodiscard]] std::optional<std::string> threadblock_note(const convert::Algorithm* algorithm,
                                                          const convert::ReplayResult& result);

}  // namespace tools
