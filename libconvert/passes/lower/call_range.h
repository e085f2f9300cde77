// SPDX-License-Identifier: MIT
// Call sizes for which a runtime uses an algorithm: minBytes and maxBytes of MSCCL-IR.
//
// MSCCL uses an algorithm if minBytes <= bytes < maxBytes (ncclTopoGetMSCCLAlgo), RCCL and Azure's executor if
// minBytes <= bytes and (maxBytes == 0 or bytes <= maxBytes) (mscclInternalSchedulerSelectAlgo). Both require the
// number of elements to be a multiple of nchunksperloop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"

namespace convert {

// Range of call sizes in bytes; `max` 0: no limit.
struct CallRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// Returns the range of calls for an algorithm made for `bytes` > 0: from half of the size to twice the size.
[[nodiscard]] CallRange calls_around(std::int64_t bytes);

// Returns the call size at which the algorithm for the next larger size, `next`, replaces the algorithm for
// `bytes`: near the geometric mean. The result is a multiple of 2 × `chunks` (chunks of the smaller algorithm) if
// there is one between the sizes; then no runtime uses the smaller algorithm for a call of one byte less.
[[nodiscard]] std::int64_t calls_between(std::int64_t bytes, std::int64_t next, std::int32_t chunks);

// Sets minBytes and maxBytes, with maxBytes at most the largest call in which no step hangs on `target` (null: on
// any runtime). Returns the largest call if it is below the range's maximum. An empty range begins at 0 instead.
// The algorithm must be runnable. An algorithm that hangs in each call keeps the range.
std::optional<std::int64_t> set_calls(Algorithm& algorithm, const CallRange& range,
                                      const RuntimeLimits* target = nullptr);

// Returns a note if a call of `bytes` does not finish on any runtime: a step hangs, or, if the range is `declared`,
// the call is outside minBytes and maxBytes. Returns an empty text for other calls, for schedules, and for bytes <=
// 0.
[[nodiscard]] std::string call_note(const Algorithm& algorithm, bool declared, std::int64_t bytes);

// Sets the call range of an algorithm without maxBytes: the range that MSCCL assumes, without calls in which a step
// hangs.
void assume_calls(Algorithm& algorithm);

}  // namespace convert
