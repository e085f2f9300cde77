// SPDX-License-Identifier: MIT
// Sizes of the calls that a runtime uses an algorithm for: minBytes and maxBytes of MSCCL-IR.
//
// MSCCL takes an algorithm if minBytes <= bytes < maxBytes (ncclTopoGetMSCCLAlgo), RCCL and Azure's executor if
// minBytes <= bytes and (maxBytes == 0 or bytes <= maxBytes) (mscclInternalSchedulerSelectAlgo). Both ask for a
// number of elements that nchunksperloop divides.
#pragma once

#include <cstdint>
#include <optional>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"

namespace convert {

// Bytes of calls; `max` 0: no limit.
struct CallRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// Returns the calls that an algorithm made for `bytes` > 0 is meant for: from half of its size to twice that.
[[nodiscard]] CallRange calls_around(std::int64_t bytes);

// Returns where the calls of an algorithm made for `bytes` end, and those of the one made for the next larger
// size, `next`, begin: near their geometric mean. It is a multiple of 2 × `chunks`, the chunks of the first one, if
// there is one between the sizes; then no runtime uses the first one for a call of one byte less.
[[nodiscard]] std::int64_t calls_between(std::int64_t bytes, std::int64_t next, std::int32_t chunks);

// Sets minBytes and maxBytes, with maxBytes at most the largest call in which no step hangs on `target`, none: on
// any runtime. Returns that largest call if it is less than the range's; a range that would be empty then begins at
// 0. The algorithm is one that can be run; one that hangs in each call keeps the range.
std::optional<std::int64_t> set_calls(Algorithm& algorithm, const CallRange& range,
                                      const RuntimeLimits* target = nullptr);

// Sets the calls of an algorithm that declares no maxBytes: those that MSCCL assumes, but none in which a step
// hangs.
void assume_calls(Algorithm& algorithm);

}  // namespace convert
